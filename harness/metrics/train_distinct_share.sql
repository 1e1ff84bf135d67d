/*---
name: train_distinct_share
description: >-
  Distinct outputs of a group divided by its size, over the last tenth of the optimizer steps that produced this policy.
layer: signal
unit: share
estimate: point
healthy: [0.5, null]
critical: {below: 0.4}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 3 (tool-sequence diversity of
  training rollouts); own bounds
---*/
SELECT avg(distinct_share) FILTER (place > 0.9 * total) AS value, count(distinct_share) AS n, NULL AS sd, [] AS examples
FROM (
  SELECT distinct_share::DOUBLE AS distinct_share, row_number() OVER (ORDER BY step) AS place, count(*) OVER () AS total
  FROM optimizer_metrics
)
