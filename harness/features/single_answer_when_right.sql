/*---
name: single_answer_when_right
description: One marked answer, and it is right; nothing is paid for form alone.
layer: behaviour
type: number
unit: 0 or 1
status: admitted
source: docs/domains/math-chain.md, Bottlenecks
domains: [math.chain]
---*/
(len(answers) = 1 AND coalesce(visible.score, 0) = 1)::INTEGER
