/*---
name: reward_values
id: D3
description: Number of distinct rewards.
layer: signal
unit: values
estimate: point
healthy: [3, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 1 (granularity); own bound
---*/
SELECT count(DISTINCT round(reward, 6)) AS value, count(reward) AS n, NULL AS sd, [] AS examples
FROM t
HAVING count(reward) > 0
