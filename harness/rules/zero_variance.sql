/*---
name: zero_variance
description: Most groups teach nothing.
layer: signal
level: warn
about: [zero_variance_share, all_wrong_share, reward_spread]
reads: Too many groups have equal rewards, so that most of what is sampled carries no gradient.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, dimension 1 (30 %)
---*/
now.zero_variance_share > 0.30
