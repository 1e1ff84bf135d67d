/*---
name: has_scratchpad
description: Intermediate results are written down.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: domains-and-statistics 5.2 row 2
domains: [math.chain]
---*/
contains(artifact, '=')
