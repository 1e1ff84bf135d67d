/*---
name: advantage_largest
id: D6
description: Largest absolute advantage.
layer: signal
unit: advantage
estimate: point
healthy: [0, 10]
warn: {above: 10}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md; own bound
---*/
SELECT max(abs(advantage)) AS value, count(*) AS n, NULL AS sd, arg_max(trajectory_id, abs(advantage), 5) AS examples
FROM t
WHERE isfinite(advantage)
