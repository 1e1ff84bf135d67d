/*---
name: answers_count
description: Number of marked answers in the output.
layer: behavior
type: number
unit: answers
stage: admitted
source: docs/domains/math-chain.md, Outcomes
domains: [math.chain, own]
---*/
len(answers)
