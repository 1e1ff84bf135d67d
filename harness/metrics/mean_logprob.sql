/*---
name: mean_logprob
id: D10
description: Mean log-probability of sampled tokens.
layer: signal
unit: nats per token
estimate: mean
healthy: [null, -0.1]
warn: {above: -0.1}
critical: {above: -0.05}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 4.1 (-0.1 and -0.05)
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(mean_logprob) AS m, count(*) AS k, min(trajectory_id) FILTER (mean_logprob > -0.05) AS example
  FROM t
  GROUP BY task_id
)
