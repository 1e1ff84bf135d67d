/*---
name: edit_failures
description: Edits are not applied.
layer: behaviour
level: warn
about: [edit_failure_share, tool_error_share]
reads: More than one edit in seven fails by its form; the policy knows what to change and not how to write it down.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 6
domains: [swe]
---*/
now.edit_failure_share > 0.15
