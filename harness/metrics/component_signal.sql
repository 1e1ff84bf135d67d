/*---
name: component_signal
id: D5
description: Smallest share of one reward component in the components' variance within groups; the examples name it.
layer: signal
unit: share of variance
estimate: point
healthy: [0.01, 1]
warn: {below: 0.01}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, analysis of SWE v5 (a constant bonus cancels in the group); own bound
---*/
SELECT min(v) / nullif(sum(v), 0) AS value, max(k) AS n, NULL AS sd, arg_min(component, v, 1) AS examples
FROM (
  SELECT component, avg(spread) AS v, count(*) AS k
  FROM (
    SELECT group_id, r.component AS component, var_pop(r.value) AS spread
    FROM (SELECT group_id, unnest(rewards) AS r FROM t)
    GROUP BY group_id, component
  )
  GROUP BY component
)
