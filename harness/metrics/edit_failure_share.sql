/*---
name: edit_failure_share
id: D33
description: Mean share of edits that were not applied.
layer: behavior
unit: share of edits
estimate: mean
healthy: [0, 0.15]
warn: {above: 0.15}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 6 (15 %)
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(edit_failure_ratio) AS m, count(*) AS k, min(trajectory_id) FILTER (edit_failure_ratio > 0) AS example
  FROM t
  GROUP BY task_id
  HAVING count(edit_failure_ratio) > 0
)
