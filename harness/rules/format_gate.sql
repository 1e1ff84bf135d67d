/*---
name: format_gate
description: Outputs fail by their form.
layer: behavior
severity: warn
metrics: [format_failure_share]
meaning: More than 30 % of the outputs are refused for their form. Check the parser and the limits before the policy.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 2 (30 %)
domains: [imported]
---*/
now.format_failure_share > 0.30
