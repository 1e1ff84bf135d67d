/*---
name: length_barrier
description: Chains of five and six steps fail although they end in time.
layer: score
level: warn
about: [true_levels_5_6, truncation_levels_5_6]
reads: Longer chains fail inside the limit; the policy has not learnt them.
status: admitted
source: domains-and-statistics 5.2 row 4
domains: [math.chain]
---*/
now.true_levels_5_6 < 0.20 AND now.truncation_levels_5_6 < 0.20
