/*---
name: first_edit_action
id: D30
description: Mean position of the first edit among the actions; a rise means that the strategy decays.
layer: behavior
unit: actions
estimate: mean
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.2 (first effective edit)
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(strpos(action_string, 'E')) AS m, count(*) AS k,
    min(trajectory_id) FILTER (strpos(action_string, 'E') > 10) AS example
  FROM t
  WHERE contains(action_string, 'E')
  GROUP BY task_id
)
