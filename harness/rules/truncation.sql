/*---
name: truncation
description: The token limit cuts episodes off.
layer: behaviour
level: warn
about: [truncation_share, truncation_levels_7_8]
reads: The limit ends episodes that could have been right.
status: admitted
source: trainers-diagnostics-hacks 4.2 D12; domains-and-statistics 5.2 row 5
---*/
now.truncation_share > 0.15 OR now.truncation_levels_7_8 > 0.5
