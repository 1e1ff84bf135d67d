/*---
name: guessed_constants
description: Constants are guessed once instead of searched for.
layer: score
severity: warn
metrics: [true_constant, true_operator, turns_per_episode]
meaning: Undocumented constants can only be found by trying, and the policy guesses them.
stage: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.true_constant < 0.15 AND now.true_operator > 2 * now.true_constant
