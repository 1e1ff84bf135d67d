/*---
name: search_ratio
id: D27
description: Mean share of an episode's actions that are searches.
layer: behavior
unit: share of actions
estimate: mean
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, 9B fields
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(len(regexp_replace(action_string, '[^S]', '', 'g')) / len(action_string)) AS m, count(*) AS k,
    min(trajectory_id) FILTER (NOT contains(action_string, 'S')) AS example
  FROM t
  WHERE action_string <> ''
  GROUP BY task_id
)
