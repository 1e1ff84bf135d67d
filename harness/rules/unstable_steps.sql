/*---
name: unstable_steps
description: A step was far larger than those before, and the reward fell.
layer: signal
level: warn
about: [grad_norm_ratio, reward_mean]
reads: The gradient spiked and the policy is paid less than before; go back to the checkpoint before the spike and clip harder or take smaller steps.
status: admitted
source: RAGEN (arXiv:2504.20073) on gradient spikes before collapse; own bounds
domains: [imported]
---*/
now.grad_norm_ratio > 10 AND now.reward_mean < prev.reward_mean
