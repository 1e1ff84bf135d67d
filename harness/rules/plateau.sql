/*---
name: plateau
description: The true score does not rise.
layer: version
severity: warn
metrics: [true_mean, reward_mean, completion_tokens]
meaning: The true score does not rise, and no other rule explains why.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 2, step 2 (stagnation); own bounds
---*/
now.true_mean < 0.95 AND coalesce(now.true_mean < prev.true_mean + 0.02, TRUE)
