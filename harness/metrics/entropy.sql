/*---
name: entropy
id: D9
description: Mean entropy of the policy per sampled token.
layer: signal
unit: nats per token
estimate: mean
healthy: [0.1, null]
warn: {below: 0.1}
critical: {below: 0.05}
stage: admitted
source: Skywork-OR1 (arXiv:2505.22312) on entropy collapse; own bounds, docs/domains/math-chain.md, Bottlenecks
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(entropy) AS m, count(*) AS k, min(trajectory_id) FILTER (entropy < 0.05) AS example
  FROM t
  GROUP BY task_id
)
