"""Real language models: conversations, policy folders, and the player over any causal LM."""
