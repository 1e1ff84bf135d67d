"""EvoTrainer's adapter for TRL; main.py is the way in."""
