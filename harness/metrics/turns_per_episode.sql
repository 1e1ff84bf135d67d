/*---
name: turns_per_episode
description: Mean number of the policy's turns.
layer: behaviour
unit: turns
estimate: mean
healthy: [null, null]
status: admitted
source: docs/domains/swe-minirepo.md, Measured
domains: [swe.minirepo]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, [] AS examples
FROM (SELECT avg(turn_count) AS m FROM t GROUP BY task_id)
