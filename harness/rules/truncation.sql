/*---
name: truncation
description: The token limit cuts episodes off.
layer: behavior
severity: warn
metrics: [truncation_share, truncation_levels_7_8]
meaning: The limit ends episodes that could have been right.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 3 (15 %); by level own
domains: [math.chain]
---*/
now.truncation_share > 0.15 OR now.truncation_levels_7_8 > 0.5
