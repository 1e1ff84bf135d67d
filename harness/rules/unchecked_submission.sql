/*---
name: unchecked_submission
description: Fixes are submitted without a last test run.
layer: behavior
severity: warn
metrics: [unchecked_share, true_mean]
meaning: Fixes are submitted without a last test run, so wrong ones are not noticed.
stage: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.unchecked_share > 0.30 AND now.true_mean < 0.9
