/*---
name: staircase_reward
description: The reward has too few distinct values.
layer: signal
severity: warn
metrics: [reward_mode_share, unsolved_dead_share]
meaning: Most rollouts get the same reward, and groups lack variance. A finer reward would separate them.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 1, where groups are not solved
domains: [imported]
---*/
now.comparable_groups >= 8 AND now.unsolved_dead_share > 0.30 AND now.reward_mode_share > 0.50
