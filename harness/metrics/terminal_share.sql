/*---
name: terminal_share
id: D37
description: Mean share of an episode's actions that run something.
layer: behavior
unit: share of actions
estimate: mean
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 5 (use of the terminal)
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(len(regexp_replace(action_string, '[^XT]', '', 'g')) / len(action_string)) AS m, count(*) AS k,
    min(trajectory_id) FILTER (NOT regexp_matches(action_string, '[XT]')) AS example
  FROM t
  WHERE action_string <> ''
  GROUP BY task_id
)
