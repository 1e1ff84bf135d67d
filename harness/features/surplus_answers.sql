/*---
name: surplus_answers
description: Marked answers beyond the first, at most four counted.
layer: behaviour
type: number
unit: answers
status: admitted
source: docs/domains/math-chain.md, Outcomes
domains: [math.chain]
---*/
least(greatest(len(answers) - 1, 0), 4)
