/*---
name: length_barrier
description: Chains of five and six steps fail although they end in time.
layer: score
level: warn
about: [true_levels_5_6, truncation_levels_5_6]
reads: Longer chains fail inside the limit; the policy has not learnt them.
status: admitted
source: docs/domains/math-chain.md, Bottlenecks; own bounds
domains: [math.chain]
---*/
now.true_levels_5_6 < 0.20 AND now.truncation_levels_5_6 < 0.20
