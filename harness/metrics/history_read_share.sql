/*---
name: history_read_share
description: Share of episodes that look up the fix in the history.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.02]
warn: {above: 0.02}
critical: {above: 0.2}
stage: admitted
source: EvoTrainer (arXiv:2606.03108), appendix D.2, use of git that must drop to nothing; docs/gate.md, guard 3 (2 %)
domains: [swe.minirepo]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(history_read::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (history_read) AS example
  FROM t
  GROUP BY task_id
)
