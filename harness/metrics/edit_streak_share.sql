/*---
name: edit_streak_share
id: D31
description: >-
  Share of episodes with consecutive edits and no test between them; about twice as frequent in failures as in
  successes.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.5]
warn: {above: 0.5}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, analysis of SWE v5 and v6 (edit streaks); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((regexp_matches(action_string, 'E[^T]*E'))::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (regexp_matches(action_string, 'E[^T]*E')) AS example
  FROM t
  WHERE contains(action_string, 'E')
  GROUP BY task_id
)
