/*---
name: constant_bonus
description: A part of the reward is paid to all.
layer: signal
level: warn
about: [component_coverage, component_signal]
reads: One component pays nearly every rollout and so cancels within the group; it costs attention and teaches nothing.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, analysis of SWE v5; own bounds
domains: [imported]
---*/
now.component_coverage > 0.95 AND now.component_signal < 0.01
