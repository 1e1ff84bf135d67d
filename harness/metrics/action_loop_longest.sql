/*---
name: action_loop_longest
id: D32
description: Most consecutive repeats of one action, or of a cycle of two or three actions.
layer: behavior
unit: repeats
estimate: point
healthy: [null, 8]
warn: {above: 8}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, a case of 32 runs in a row; own bound
domains: [swe, imported]
---*/
SELECT max(action_loop) AS value, count(action_loop) AS n, NULL AS sd,
  arg_max(trajectory_id, action_loop, 5) AS examples
FROM t
