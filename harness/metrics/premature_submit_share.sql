/*---
name: premature_submit_share
id: D29
description: Share of submissions within three turns and without an edit, or without a run of tests after the last edit.
layer: behaviour
unit: share of submissions
estimate: share
healthy: [0, 0.05]
warn: {above: 0.05}
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, level-1 filter (abandonment); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(((turn_count <= 3 AND NOT contains(action_string, 'E')) OR regexp_matches(action_string, 'E[^T]*$'))::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER ((turn_count <= 3 AND NOT contains(action_string, 'E')) OR regexp_matches(action_string, 'E[^T]*$')) AS example
  FROM t
  WHERE stop_reason = 'submitted'
  GROUP BY task_id
)
