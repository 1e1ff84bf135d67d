/*---
name: debug_effort
description: Runs of the tests, up to ten.
layer: behaviour
type: number
unit: share of ten
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, anti-patterns; paid for, it is farmed (38 turns became 56)
domains: [swe]
---*/
least(1, len(list_filter(actions, lambda a: a.kind = 'test')) / 10.0)
