/*---
name: no_progress_run
id: D31
description: Mean length of the longest run of actions without an edit.
layer: behavior
unit: actions
estimate: mean
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, analysis of SWE v5; own measure
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(list_max(list_transform(string_split(action_string, 'E'), lambda part: len(part)))) AS m, count(*) AS k,
    min(trajectory_id) FILTER (len(action_string) > 10 AND NOT contains(action_string, 'E')) AS example
  FROM t
  WHERE action_string <> ''
  GROUP BY task_id
)
