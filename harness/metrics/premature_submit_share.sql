/*---
name: premature_submit_share
id: D29
description: >-
  Share of submissions made within three turns and without an edit, or without a test run after the last edit.
layer: behavior
unit: share of submissions
estimate: share
healthy: [0, 0.05]
warn: {above: 0.05}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, level-1 filter (abandonment); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(is_premature::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (is_premature) AS example
  FROM (
    SELECT task_id, trajectory_id,
      (turn_count <= 3 AND NOT contains(action_string, 'E')) OR regexp_matches(action_string, 'E[^T]*$') AS is_premature
    FROM t
    WHERE stop_reason = 'submitted'
  )
  GROUP BY task_id
)
