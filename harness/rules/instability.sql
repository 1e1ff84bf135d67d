/*---
name: instability
description: Training was unstable.
layer: signal
level: warn
about: [grad_norm_ratio, kl_last, reward_std_fall]
reads: The run that made this policy left the region in which its updates are sound.
status: admitted
source: RAGEN (arXiv:2504.20073) on gradient spikes before collapse; own bounds
---*/
-- A trainer measures KL only where the recipe has a KL term.
now.grad_norm_ratio > 10 OR coalesce(now.kl_last > 0.1, FALSE)
