/*---
name: surplus_answers
description: Number of marked answers beyond the first, at most four.
layer: behavior
type: number
unit: answers
stage: admitted
source: docs/domains/math-chain.md, Outcomes
domains: [math.chain, own]
---*/
coalesce(least(greatest(len(answers) - 1, 0), 4), 0)
