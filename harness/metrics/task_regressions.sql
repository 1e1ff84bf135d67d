/*---
name: task_regressions
id: D42
description: Share of tasks in both sets that score less than before, minus the share that score more.
layer: version
unit: share of tasks
estimate: point
healthy: [null, 0]
warn: {above: 0}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, flow of instances between two evaluations
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
SELECT avg((now.score < before.score)::INTEGER) - avg((now.score > before.score)::INTEGER) AS value, count(*) AS n,
  NULL AS sd, min(example, 5) FILTER (now.score < before.score) AS examples
FROM now JOIN before USING (task_id)
