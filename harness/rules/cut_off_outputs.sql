/*---
name: cut_off_outputs
description: What looks like bad form is a limit.
layer: behaviour
level: critical
about: [format_failure_share, cut_format_failure_share, truncation_share]
reads: Outputs fail by their form, and most of those that do were cut off by the limit. Raise the limit before any reward is redesigned.
status: admitted
source: EvoTrainer (arXiv:2606.03108), appendix B.3, half of the outputs at the cap and all strict format failures there; own bounds
domains: [math, code]
---*/
now.truncation_share > 0.15 AND now.format_failure_share > 0.15 AND now.cut_format_failure_share > 0.6
