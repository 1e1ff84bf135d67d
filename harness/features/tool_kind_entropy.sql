/*---
name: tool_kind_entropy
description: Entropy of the kinds of action in the episode.
layer: behavior
type: number
unit: bits
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, 9B fields (tool-type entropy)
domains: [swe]
---*/
CASE WHEN len(actions) > 0 THEN list_aggregate(list_transform(actions, lambda a: a.kind), 'entropy') END
