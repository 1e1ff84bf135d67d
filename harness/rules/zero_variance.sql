/*---
name: zero_variance
description: Most groups teach nothing.
layer: signal
severity: warn
metrics: [zero_variance_share, all_wrong_share, reward_spread]
meaning: In too many groups all rewards are equal, so that most samples carry no gradient.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, dimension 1 (30 %)
---*/
now.zero_variance_share > 0.30
