/*---
name: action_loops
description: Agents repeat themselves.
layer: behaviour
level: warn
about: [action_loop_share, action_loop_longest]
reads: Episodes run the same action, or a small cycle, over and over.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, a case of 32 runs in a row; own bound
domains: [imported]
---*/
now.action_loop_share > 0.05
