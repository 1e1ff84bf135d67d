/*---
name: action_loops
description: Agents repeat themselves.
layer: behavior
severity: warn
metrics: [action_loop_share, action_loop_longest]
meaning: Episodes run the same action, or a short cycle of actions, over and over.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, a case of 32 runs in a row; own bound
domains: [imported]
---*/
now.action_loop_share > 0.05
