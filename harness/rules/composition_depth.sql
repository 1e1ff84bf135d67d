/*---
name: composition_depth
description: Pipelines of four and five steps fail while shorter ones succeed.
layer: score
severity: warn
metrics: [true_depth_4_5, true_depth_1_3]
meaning: The policy knows the single steps, but cannot compose many of them.
stage: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bounds
domains: [code.listprog]
---*/
now.true_depth_4_5 < 0.30 AND now.true_depth_1_3 > 0.60
