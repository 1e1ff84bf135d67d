/*---
name: answers_count
description: Marked answers in one output.
layer: behaviour
type: number
unit: answers
status: admitted
source: docs/domains/math-chain.md, Outcomes
domains: [math.chain]
---*/
len(answers)
