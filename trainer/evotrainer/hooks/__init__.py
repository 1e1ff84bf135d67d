"""The hook points of a recipe: where a knob changes training. One idea a file, with its source."""
