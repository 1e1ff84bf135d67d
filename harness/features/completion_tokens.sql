/*---
name: completion_tokens
description: Sampled tokens of the episode.
layer: behaviour
type: number
unit: tokens
status: admitted
source: trainers-diagnostics-hacks 4.4 D38
---*/
token_count
