/*---
name: unchecked_share
id: D29
description: Share of submissions without a run of the tests after the last change.
layer: behavior
unit: share of trajectories
estimate: share
healthy: [0, 0.3]
warn: {above: 0.3}
stage: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bound
domains: [swe.minirepo]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(submitted_without_run::INTEGER) AS m, count(*) AS k,
    min(trajectory_id) FILTER (submitted_without_run) AS example
  FROM t
  WHERE stop_reason = 'submitted'
  GROUP BY task_id
)
