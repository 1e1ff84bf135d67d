/*---
name: no_progress
description: The reward stands where the log began.
layer: version
level: warn
about: [reward_mean, reward_headroom]
reads: Over the whole log the reward has not moved, and much of it is out of reach.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 2, step 2 (stagnation); own bounds
domains: [imported]
---*/
now.reward_headroom > 0.10 AND now.reward_headroom > first.reward_headroom - 0.02
