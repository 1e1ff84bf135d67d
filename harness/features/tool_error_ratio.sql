/*---
name: tool_error_ratio
description: Share of turns with tool calls in which a call failed.
layer: behavior
type: number
unit: share
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 2.2
domains: [swe]
---*/
len(list_distinct(list_transform(list_filter(actions, lambda a: NOT a.ok), lambda a: a.turn)))
  / nullif(len(list_distinct(list_transform(actions, lambda a: a.turn))), 0)
