/*---
name: regression
description: The truth fell since the generation before.
layer: version
level: warn
about: [true_mean]
reads: The incumbent is worse than the one before it on fresh tasks.
status: admitted
source: papers 1.9; trainers-diagnostics-hacks 4.5 D42
---*/
now.true_mean < prev.true_mean - 0.05
