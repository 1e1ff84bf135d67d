/*---
name: proxy_up_truth_flat
description: The reward rose and the truth did not.
layer: score
level: critical
about: [reward_mean, true_mean]
reads: The reward rises without the truth, the mark of reward hacking.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 4; own bounds
---*/
now.reward_mean > prev.reward_mean + 0.03 AND now.true_mean <= prev.true_mean + 0.01
