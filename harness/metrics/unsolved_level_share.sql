/*---
name: unsolved_level_share
id: D41
description: Share of difficulty levels in which nothing is right by the oracle.
layer: score
unit: share of levels
estimate: point
healthy: [0, 0.5]
warn: {above: 0.5}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, dimension 5 (a level that always fails is
  excluded or gets more budget); own bound
---*/
SELECT avg((right_count = 0)::INTEGER) AS value, count(*) AS n, NULL AS sd,
  min(example, 5) FILTER (right_count = 0) AS examples
FROM (
  SELECT level, count(*) FILTER (oracle_score = 1) AS right_count, min(trajectory_id) AS example
  FROM t JOIN labels USING (trajectory_id)
  WHERE level IS NOT NULL
  GROUP BY level
)
