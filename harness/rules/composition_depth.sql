/*---
name: composition_depth
description: Pipelines of four and five steps fail while shorter ones succeed.
layer: score
level: warn
about: [true_depth_4_5, true_depth_1_3]
reads: Each step is known, composing many of them is not.
status: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bounds
domains: [code.listprog]
---*/
now.true_depth_4_5 < 0.30 AND now.true_depth_1_3 > 0.60
