/*---
name: train_logprob_ratio
description: >-
  Mean log-probability of sampled tokens at the end of the training run that produced this policy, divided by that of
  its first steps.
layer: signal
unit: ratio
estimate: point
healthy: [0.5, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 3 (halfway to certainty)
---*/
SELECT
  avg(mean_logprob) FILTER (place > 0.9 * total)
    / nullif(avg(mean_logprob) FILTER (place <= greatest(1, 0.05 * total)), 0) AS value,
  count(mean_logprob) AS n, NULL AS sd, [] AS examples
FROM (
  SELECT mean_logprob::DOUBLE AS mean_logprob, row_number() OVER (ORDER BY step) AS place, count(*) OVER () AS total
  FROM optimizer_metrics
)
