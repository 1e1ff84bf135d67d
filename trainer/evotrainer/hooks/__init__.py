"""The hooks of a recipe: one file per setting that changes training, with its source."""
