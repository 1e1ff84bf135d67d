/*---
name: completion_characters
description: Number of characters that the policy wrote in the episode.
layer: behavior
type: number
unit: characters
stage: admitted
source: own; the length of logs that count no tokens
---*/
coalesce(list_sum(list_transform(list_filter(turns, lambda turn: turn.role = 'policy'), lambda turn: len(turn.text))),
  len(artifact))
