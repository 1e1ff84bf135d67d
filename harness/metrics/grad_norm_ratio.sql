/*---
name: grad_norm_ratio
id: D14
description: >-
  Largest gradient norm of the training run that produced this policy, divided by the median of the ten steps before it,
  or by the median of the run where that is larger.
layer: signal
unit: ratio
estimate: point
healthy: [null, 10]
critical: {above: 10}
stage: admitted
source: RAGEN (arXiv:2504.20073), where spikes of the gradient norm mark collapse; own bound
---*/
-- At the end of a solved task gradients are near zero; without the median of the run, any step there would be a spike.
SELECT max(norm / nullif(greatest(before, usual), 0)) FILTER (before IS NOT NULL) AS value, count(norm) AS n,
  NULL AS sd, [] AS examples
FROM (
  SELECT grad_norm::DOUBLE AS norm, median(grad_norm::DOUBLE) OVER () AS usual,
    median(grad_norm::DOUBLE) OVER (ORDER BY step ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING) AS before
  FROM optimizer_metrics
)
