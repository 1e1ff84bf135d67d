/*---
name: reward_headroom
description: How far the mean reward is below the most that was paid, as a share of the range that was paid.
layer: score
unit: share
estimate: point
healthy: [null, null]
status: admitted
source: own; tells a solved task from a lost one
domains: [imported]
---*/
SELECT (max(reward) - avg(reward)) / nullif(max(reward) - min(reward), 0) AS value, count(reward) AS n, NULL AS sd, [] AS examples
FROM t
