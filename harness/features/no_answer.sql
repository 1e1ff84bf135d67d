/*---
name: no_answer
description: No answer was marked.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: domains-and-statistics 5.2 row 1
domains: [math.chain]
---*/
len(answers) = 0
