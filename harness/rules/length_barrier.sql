/*---
name: length_barrier
description: Chains of five and six steps fail although they end within the limit.
layer: score
severity: warn
metrics: [true_levels_5_6, truncation_levels_5_6]
meaning: Longer chains fail inside the limit, so the policy has not learned them.
stage: admitted
source: docs/domains/math-chain.md, Bottlenecks; own bounds
domains: [math.chain]
---*/
now.true_levels_5_6 < 0.20 AND now.truncation_levels_5_6 < 0.20
