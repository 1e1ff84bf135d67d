/*---
name: shallow_search
description: Faults further down the calls are not found.
layer: score
level: warn
about: [true_depth_0, true_depth_1, true_depth_2]
reads: The policy mends the function of the issue, and does not follow its calls.
status: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.true_depth_2 < 0.10 AND now.true_depth_0 > 2 * now.true_depth_2
