/*---
name: reward_std_fall
id: D21
description: >-
  Fall of the mean group standard deviation of rewards over the training run that produced this policy; it precedes
  collapse.
layer: signal
unit: share
estimate: point
healthy: [null, 0.5]
warn: {above: 0.5}
stage: admitted
source: RAGEN (arXiv:2504.20073), echo trap; own bound
---*/
SELECT 1 - arg_max(reward_std::DOUBLE, step) / nullif(arg_min(reward_std::DOUBLE, step), 0) AS value,
  count(reward_std) AS n, NULL AS sd, [] AS examples
FROM optimizer_metrics
