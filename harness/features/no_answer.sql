/*---
name: no_answer
description: No answer was marked.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: docs/domains/math-chain.md, Outcomes
domains: [math.chain, own]
---*/
len(answers) = 0
