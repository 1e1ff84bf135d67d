/*---
name: component_coverage
id: D5
description: >-
  Largest share of rollouts that receive one reward component; the examples name it. A bonus that all rollouts receive
  teaches nothing.
layer: signal
unit: share of trajectories
estimate: point
healthy: [0, 0.95]
warn: {above: 0.95}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, analysis of SWE v5 (a bonus that 99 % receive cancels in the group); 95 % is
  own
---*/
SELECT max(paid) AS value, max(k) AS n, NULL AS sd, arg_max(component, paid, 1) AS examples
FROM (
  SELECT r.component AS component, avg((r.value > 0)::INTEGER) AS paid, count(*) AS k
  FROM (SELECT unnest(rewards) AS r FROM t)
  GROUP BY component
)
