/*---
name: unpaid_share
id: D16
description: Share of trajectories without a reward; if that is all of them in two consecutive sets, the policy is dead.
layer: signal
unit: share of trajectories
estimate: share
healthy: [0, 0.9]
critical: {above: 0.999}
stage: admitted
source: docs/domains/new-domain.md; own bounds, a dead policy shows here while its entropy looks normal
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg((reward <= 0)::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (reward <= 0) AS example
  FROM t
  WHERE reward IS NOT NULL
  GROUP BY task_id
)
