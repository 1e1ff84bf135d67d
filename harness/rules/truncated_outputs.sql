/*---
name: truncated_outputs
description: A limit cuts episodes off.
layer: behavior
severity: warn
metrics: [truncation_share]
meaning: >-
  Outputs end at the limit, so apparent failures may only lack room. Raise the limit before redesigning the reward.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 3 (15 %)
domains: [imported]
---*/
now.truncation_share > 0.15
