/*---
name: advantage_broken_share
id: D6
description: Share of advantages that are not finite numbers.
layer: signal
unit: share of trajectories
estimate: share
healthy: [0, 0]
critical: {above: 0}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md (critical)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((NOT isfinite(advantage))::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (NOT isfinite(advantage)) AS example
  FROM t
  WHERE advantage IS NOT NULL
  GROUP BY task_id
)
