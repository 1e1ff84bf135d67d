/*---
name: guessed_constants
description: Constants are guessed once, not searched for.
layer: score
level: warn
about: [true_constant, true_operator, turns_per_episode]
reads: What no documentation tells has to be found by trying; the policy guesses.
status: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.true_constant < 0.15 AND now.true_operator > 2 * now.true_constant
