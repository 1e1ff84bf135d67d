/*---
name: cut_off_outputs
description: Format failures are outputs that a limit cut off.
layer: behavior
severity: critical
metrics: [format_failure_share, cut_format_failure_share, truncation_share]
meaning: >-
  Outputs fail by their form, and most of these were cut off by the limit. Raise the limit before redesigning any
  reward.
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108), appendix B.3, half of the outputs at the cap and all strict format failures there; own
  bounds
domains: [math, code, own]
---*/
now.truncation_share > 0.15 AND now.format_failure_share > 0.15 AND now.cut_format_failure_share > 0.6
