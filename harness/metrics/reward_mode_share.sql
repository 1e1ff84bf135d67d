/*---
name: reward_mode_share
description: Share of the most common reward value.
layer: signal
unit: share of trajectories
estimate: point
healthy: [0, 0.5]
warn: {above: 0.8}
status: admitted
source: trainers-diagnostics-hacks 4.1 D3; papers 1.9 rule 1
---*/
SELECT max(k) / sum(k) AS value, sum(k)::BIGINT AS n, NULL AS sd, [] AS examples
FROM (SELECT round(reward, 6) AS paid, count(*) AS k FROM t WHERE reward IS NOT NULL GROUP BY paid)
