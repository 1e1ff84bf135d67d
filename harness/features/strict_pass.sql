/*---
name: strict_pass
description: Score of the training-hidden verifier; in math, exactly one marked answer, at the end, and right.
layer: score
type: number
unit: score 0..1
stage: admitted
source: ARCHITECTURE.md, Words (training-hidden); docs/domains/math-chain.md, Outcomes
---*/
coalesce(hidden.score, 0)
