/*---
name: regression
description: The true score fell since the previous generation.
layer: version
severity: warn
metrics: [true_mean]
meaning: On fresh tasks, the incumbent is worse than the one before it.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 2, step 2 (regression); own bound
---*/
now.true_mean < prev.true_mean - 0.05
