/*---
name: no_answer
description: No answer was marked.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: docs/domains/math-chain.md, Outcomes
domains: [math.chain]
---*/
len(answers) = 0
