/*---
name: train_held_out_gap
id: D40
description: Training-hidden score on trained tasks, minus the score on fresh ones.
layer: version
unit: points of score
estimate: point
healthy: [null, 0.05]
warn: {above: 0.05}
stage: admitted
source: arXiv:2504.07086 on scores that do not hold on fresh seeds; own bound
---*/
SELECT avg(hidden.score) FILTER (split = 'TRAIN') - avg(hidden.score) FILTER (split = 'DIAG') AS value,
  least(count(DISTINCT task_id) FILTER (split = 'TRAIN'), count(DISTINCT task_id) FILTER (split = 'DIAG')) AS n,
    NULL AS sd, [] AS examples
FROM t
