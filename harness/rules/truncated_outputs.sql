/*---
name: truncated_outputs
description: A limit cuts episodes off.
layer: behaviour
level: warn
about: [truncation_share]
reads: Outputs end at the limit, so that what looks like failure may be want of room; raise the limit before the reward is redesigned.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 3 (15 %)
domains: [imported]
---*/
now.truncation_share > 0.15
