/*---
name: completion_tokens_p90
id: D38
description: 90th percentile of the completion length.
layer: behavior
unit: tokens
estimate: point
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.3 (P90)
---*/
SELECT quantile_cont(completion_tokens, 0.9) AS value, count(completion_tokens) AS n, NULL AS sd,
  arg_max(trajectory_id, completion_tokens, 5) AS examples
FROM t
