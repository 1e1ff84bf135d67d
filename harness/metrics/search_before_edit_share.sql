/*---
name: search_before_edit_share
id: D30
description: Share of episodes with an edit that read or search before it.
layer: behavior
unit: share of episodes with an edit
estimate: share
healthy: [0.5, 1]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 2.6; own healthy range
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((regexp_matches(action_string, '^[^E]*[RS]'))::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (NOT regexp_matches(action_string, '^[^E]*[RS]')) AS example
  FROM t
  WHERE contains(action_string, 'E')
  GROUP BY task_id
)
