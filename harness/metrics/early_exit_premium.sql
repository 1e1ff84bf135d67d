/*---
name: early_exit_premium
description: Mean reward of programs that exit early, minus the mean reward of all.
layer: signal
unit: reward
estimate: point
healthy: [null, 0]
warn: {above: 0}
stage: admitted
source: docs/domains/code-listprog.md, Bottlenecks
domains: [code.listprog]
---*/
SELECT avg(reward) FILTER (early_exit) - avg(reward) AS value, count(reward) FILTER (early_exit) AS n, NULL AS sd,
  min(trajectory_id, 5) FILTER (early_exit) AS examples
FROM t
