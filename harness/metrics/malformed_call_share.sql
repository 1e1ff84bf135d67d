/*---
name: malformed_call_share
id: D34
description: Share of episodes with a malformed tool call.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.1]
warn: {above: 0.1}
critical: {above: 0.5}
stage: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(malformed_call::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (malformed_call) AS example
  FROM t
  GROUP BY task_id
)
