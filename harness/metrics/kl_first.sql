/*---
name: kl_first
id: D11
description: >-
  KL divergence from the starting policy at the first optimizer step, before anything has changed; a value other than 0
  is a fault of the trainer.
layer: signal
unit: nats per token
estimate: point
healthy: [0, 0.001]
warn: {above: 0.001}
stage: admitted
source: slime (github.com/THUDM/slime) asserts KL 0 at step 0; own bound
---*/
SELECT arg_min(kl, step) AS value, count(kl) AS n, NULL AS sd, [] AS examples
FROM optimizer_metrics
