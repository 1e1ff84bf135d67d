/*---
name: comparable_groups
description: Number of groups with at least two rewards. Metrics over groups need some.
layer: signal
unit: groups
estimate: point
healthy: [8, null]
warn: {below: 8}
stage: admitted
source: own
domains: [imported]
---*/
SELECT count(*) AS value, count(*) AS n, NULL AS sd, [] AS examples
FROM (SELECT group_id FROM t GROUP BY group_id HAVING count(reward) > 1)
