/*---
name: instability
description: Training was unstable.
layer: signal
severity: warn
metrics: [grad_norm_ratio, kl_last, reward_std_fall]
meaning: The training run that produced this policy left the range in which its updates are sound.
stage: admitted
source: RAGEN (arXiv:2504.20073) on gradient spikes before collapse; own bounds
---*/
-- A trainer measures KL only if the recipe has a KL term.
now.grad_norm_ratio > 10 OR coalesce(now.kl_last > 0.1, FALSE)
