/*---
name: regression
description: The truth fell since the generation before.
layer: version
level: warn
about: [true_mean]
reads: The incumbent is worse than the one before it on fresh tasks.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 2, step 2 (regression); own bound
---*/
now.true_mean < prev.true_mean - 0.05
