/*---
name: staircase_reward
description: The reward has too few values.
layer: signal
level: warn
about: [reward_mode_share, unsolved_dead_share]
reads: One reward covers most of the mass while groups lack variance; a finer reward would separate them.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 1, where groups are not solved
domains: [imported]
---*/
now.comparable_groups >= 8 AND now.unsolved_dead_share > 0.30 AND now.reward_mode_share > 0.50
