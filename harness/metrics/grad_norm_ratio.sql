/*---
name: grad_norm_ratio
id: D14
description: Largest gradient norm of the run that made this policy over the median of the ten steps before it, or of the run where that is more.
layer: signal
unit: ratio
estimate: point
healthy: [null, 10]
critical: {above: 10}
status: admitted
source: RAGEN (arXiv:2504.20073), where spikes of the gradient norm mark collapse; own bound
---*/
-- The median of the run keeps the last steps of a solved task, whose gradients are near zero, from counting as spikes.
SELECT max(norm / nullif(greatest(before, usual), 0)) FILTER (before IS NOT NULL) AS value, count(norm) AS n, NULL AS sd, [] AS examples
FROM (
  SELECT grad_norm::DOUBLE AS norm, median(grad_norm::DOUBLE) OVER () AS usual,
    median(grad_norm::DOUBLE) OVER (ORDER BY step ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING) AS before
  FROM optimizer_metrics
)
