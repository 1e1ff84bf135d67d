/*---
name: report_share
id: D35
description: Share of episodes that end in a report.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.1]
warn: {above: 0.1}
stage: admitted
source: docs/domains/swe-minirepo.md, Tools; own bound
domains: [swe.minirepo]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(reported::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (reported) AS example
  FROM t
  GROUP BY task_id
)
