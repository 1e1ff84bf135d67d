/*---
name: action_bigram_repetition
description: Share of consecutive command pairs that occurred before in the episode.
layer: behavior
type: number
unit: share
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, 9B fields (bigram repetition)
domains: [swe]
---*/
CASE WHEN len(actions) > 1 THEN 1 - len(list_distinct(list_transform(
  list_zip(actions[1:len(actions) - 1], actions[2:]),
  lambda pair: pair[1].verb || ' ' || pair[2].verb))) / (len(actions) - 1) END
