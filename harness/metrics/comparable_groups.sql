/*---
name: comparable_groups
description: Number of groups with two rewards or more. What is said of groups needs some.
layer: signal
unit: groups
estimate: point
healthy: [8, null]
warn: {below: 8}
status: admitted
source: own
domains: [imported]
---*/
SELECT count(*) AS value, count(*) AS n, NULL AS sd, [] AS examples
FROM (SELECT group_id FROM t GROUP BY group_id HAVING count(reward) > 1)
