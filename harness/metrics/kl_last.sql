/*---
name: kl_last
id: D11
description: KL divergence from the branch's starting policy at the end of the training run that produced this policy.
layer: signal
unit: nats per token
estimate: point
healthy: [0, 0.1]
warn: {above: 0.1}
stage: admitted
source: k3 of Schulman, Approximating KL Divergence (joschu.net, 2020); own bound
---*/
SELECT arg_max(kl, step) AS value, count(kl) AS n, NULL AS sd, [] AS examples
FROM optimizer_metrics
