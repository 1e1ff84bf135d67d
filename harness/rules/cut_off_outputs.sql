/*---
name: cut_off_outputs
description: What looks like bad form is a limit.
layer: behaviour
level: critical
about: [format_failure_share, whole_format_failure_share, truncation_share]
reads: Outputs fail by their form, and only where the limit cut them off. Raise the limit before any reward is redesigned.
status: admitted
source: EvoTrainer (arXiv:2606.03108), appendix B.3, half of the outputs at the cap and all strict format failures there; own bounds
domains: [math, code]
---*/
-- Where nothing is left whole there is no share among the whole, and nothing but the limit to blame.
now.truncation_share > 0.15 AND now.format_failure_share > 0.15
  AND coalesce(now.whole_format_failure_share < 0.2 * now.format_failure_share, TRUE)
