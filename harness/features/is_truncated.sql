/*---
name: is_truncated
description: A token or turn limit ended the episode.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: trainers-diagnostics-hacks 4.2 D12
---*/
truncated
