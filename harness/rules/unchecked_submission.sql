/*---
name: unchecked_submission
description: Submitted without a look at the tests.
layer: behaviour
level: warn
about: [unchecked_share, true_mean]
reads: Fixes are handed in without a last run, so that wrong ones are never tried again.
status: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.unchecked_share > 0.30 AND now.true_mean < 0.9
