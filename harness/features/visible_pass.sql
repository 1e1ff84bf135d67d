/*---
name: visible_pass
description: Score of the verifier that the policy can see; in math, any marked answer may be the right one.
layer: score
type: number
unit: score 0..1
stage: admitted
source: ARCHITECTURE.md, Words (visible); docs/domains/math-chain.md, Outcomes
---*/
coalesce(visible.score, 0)
