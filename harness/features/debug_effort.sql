/*---
name: debug_effort
description: Number of test runs, at most ten, as a share of ten.
layer: behavior
type: number
unit: share of ten
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, anti-patterns; paid for, it is farmed (38 turns became 56)
domains: [swe]
---*/
least(1, len(list_filter(actions, lambda a: a.kind = 'test')) / 10.0)
