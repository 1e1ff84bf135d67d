/*---
name: lost_minority
description: The policy no longer sets outdated tests right.
layer: score
severity: warn
metrics: [true_outdated_test, true_mean, wrong_test_edit_share]
meaning: A skill that few tasks need is unlearned while the others improve.
stage: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.true_outdated_test < 0.10 AND now.wrong_test_edit_share < 0.03
