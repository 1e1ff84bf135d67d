/*---
name: entropy_ratio
id: D9
description: Entropy at the end of the training run that produced this policy, divided by that of its first steps.
layer: signal
unit: ratio
estimate: point
healthy: [0.5, 2]
warn: {below: 0.5, above: 2}
critical: {below: 0.1}
stage: admitted
source: Skywork-OR1 (arXiv:2505.22312) and Cui et al. (arXiv:2505.22617) on entropy collapse; own bounds
---*/
SELECT
  avg(entropy) FILTER (place > 0.9 * total)
    / nullif(avg(entropy) FILTER (place <= greatest(1, 0.1 * total)), 0) AS value,
  count(entropy) AS n, NULL AS sd, [] AS examples
FROM (
  SELECT entropy::DOUBLE AS entropy, row_number() OVER (ORDER BY step) AS place, count(*) OVER () AS total
  FROM optimizer_metrics
)
