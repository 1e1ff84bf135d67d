/*---
name: shallow_search
description: Faults further down the call chain are not found.
layer: score
severity: warn
metrics: [true_depth_0, true_depth_1, true_depth_2]
meaning: The policy repairs the function in the issue and does not follow its calls.
stage: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.true_depth_2 < 0.10 AND now.true_depth_0 > 2 * now.true_depth_2
