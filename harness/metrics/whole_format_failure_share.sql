/*---
name: whole_format_failure_share
description: Format failures among the outputs that no limit cut off.
layer: behaviour
unit: share of trajectories
estimate: share
healthy: [0, 0.05]
status: admitted
source: EvoTrainer (arXiv:2606.03108), appendix B.3, where all strict format failures ended at the cap
domains: [math, code]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(format_failure::INTEGER) AS m, count(*) AS k, min(trajectory_id) FILTER (format_failure) AS example
  FROM t
  WHERE NOT truncated
  GROUP BY task_id
)
