/*---
name: dead_step_share
id: D15
description: Share of optimizer steps without a gradient.
layer: signal
unit: share of steps
estimate: point
healthy: [0, 0.1]
warn: {above: 0.1}
critical: {above: 0.5}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, early warnings (dead training); measured on the gradient, as the loss of
  on-policy GRPO is near zero by itself; own bounds
---*/
SELECT avg((grad_norm::DOUBLE < 1e-8)::INTEGER) AS value, count(grad_norm) AS n, NULL AS sd, [] AS examples
FROM optimizer_metrics
