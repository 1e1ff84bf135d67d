/*---
name: distinct_completions
description: Mean number of different completions in a group, as a share of its size.
layer: signal
unit: share
estimate: mean
healthy: [0.4, 1]
warn: {below: 0.4}
critical: {below: 0.15}
status: admitted
source: domains-and-statistics 5.2 row 6 (distinct completions per group < 3 of 8)
---*/
SELECT avg(d) AS value, count(*) AS n, stddev_samp(d) AS sd, arg_min(group_id, d, 5) AS examples
FROM (SELECT group_id, count(DISTINCT artifact) / count(*) AS d FROM t GROUP BY group_id)
