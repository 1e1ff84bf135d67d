/*---
name: plateau
description: The truth does not rise.
layer: version
level: warn
about: [true_mean, reward_mean, completion_tokens]
reads: The true score stands still, and nothing says why.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 2, step 2 (stagnation); own bounds
---*/
now.true_mean < 0.95 AND coalesce(now.true_mean < prev.true_mean + 0.02, TRUE)
