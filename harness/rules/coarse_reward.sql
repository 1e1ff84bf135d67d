/*---
name: coarse_reward
description: The reward has too few values.
layer: signal
level: warn
about: [reward_mode_share, zero_variance_share]
reads: One reward value covers most of the mass while groups lack variance; a finer reward would separate them.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 1
---*/
now.zero_variance_share > 0.30 AND now.reward_mode_share > 0.50
