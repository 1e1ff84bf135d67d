/*---
name: completion_characters
description: Characters that the policy wrote in the episode.
layer: behaviour
type: number
unit: characters
status: admitted
source: own; the length of logs that count no tokens
---*/
coalesce(list_sum(list_transform(list_filter(turns, lambda turn: turn.role = 'policy'), lambda turn: len(turn.text))), len(artifact))
