/*---
name: answer_spraying
description: More than one answer is marked, so that a lenient verifier may accept one of them.
layer: behavior
type: boolean
unit: yes or no
failure_class: answer_spraying
stage: blocking
source: docs/domains/math-chain.md, Outcomes; the warm start learns it from `revise` demonstrations
domains: [math.chain, own]
---*/
coalesce(len(answers) > 1, false)
