/*---
name: format_gate
description: Outputs fail by their form.
layer: behaviour
level: warn
about: [format_failure_share]
reads: Nearly a third of the outputs are refused for their form; look at the parser and at the limits before the policy.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 2 (30 %)
domains: [imported]
---*/
now.format_failure_share > 0.30
