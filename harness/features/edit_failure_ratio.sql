/*---
name: edit_failure_ratio
description: Share of edits that were not applied.
layer: behavior
type: number
unit: share
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 6
domains: [swe]
---*/
len(list_filter(actions, lambda a: a.kind = 'edit' AND NOT a.ok))
  / nullif(len(list_filter(actions, lambda a: a.kind = 'edit')), 0)
