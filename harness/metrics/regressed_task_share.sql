/*---
name: regressed_task_share
id: D42
description: Share of previously solved tasks that are not solved in this set.
layer: version
unit: share of tasks
estimate: share
healthy: [0, 0.2]
warn: {above: 0.2}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, flow of instances between two
  evaluations; own bound
---*/
WITH now AS (
  SELECT task_id, avg(coalesce(hidden.score, visible.score, reward)) AS score, min(trajectory_id) AS example
  FROM t
  GROUP BY task_id
),
before AS (
  SELECT task_id, avg(coalesce(hidden.score, visible.score, reward)) AS score
  FROM t_prev
  GROUP BY task_id
)
SELECT avg((now.score < 0.5)::INTEGER) AS value, count(*) AS n, NULL AS sd,
  min(example, 5) FILTER (now.score < 0.5) AS examples
FROM now JOIN before USING (task_id)
WHERE before.score >= 0.5
