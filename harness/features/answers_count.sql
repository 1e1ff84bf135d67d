/*---
name: answers_count
description: Marked answers in one output.
layer: behaviour
type: number
unit: answers
status: admitted
source: domains-and-statistics 5.2
domains: [math.chain]
---*/
len(answers)
