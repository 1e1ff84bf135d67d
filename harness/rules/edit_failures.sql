/*---
name: edit_failures
description: Edits are not applied.
layer: behavior
severity: warn
metrics: [edit_failure_share, tool_error_share]
meaning: More than 15 % of the edits are not applied. The policy knows what to change, but not how to write the edit.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 6
domains: [swe]
---*/
now.edit_failure_share > 0.15
