/*---
name: surplus_answers
description: Marked answers beyond the first, at most four counted.
layer: behaviour
type: number
unit: answers
status: admitted
source: domains-and-statistics 5.2, hack row
domains: [math.chain]
---*/
least(greatest(len(answers) - 1, 0), 4)
