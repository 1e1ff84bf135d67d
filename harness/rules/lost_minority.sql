/*---
name: lost_minority
description: The right way with an outdated test is lost.
layer: score
level: warn
about: [true_outdated_test, true_mean, wrong_test_edit_share]
reads: The skill that few tasks need is unlearnt while the others improve.
status: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.true_outdated_test < 0.10 AND now.wrong_test_edit_share < 0.03
