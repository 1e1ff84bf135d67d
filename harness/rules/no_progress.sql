/*---
name: no_progress
description: The reward is where the log began.
layer: version
severity: warn
metrics: [reward_mean, reward_headroom]
meaning: The reward has not moved over the whole log, and much of it is still out of reach.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 2, step 2 (stagnation); own bounds
domains: [imported]
---*/
now.reward_headroom > 0.10 AND now.reward_headroom > first.reward_headroom - 0.02
