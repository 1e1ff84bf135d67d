/*---
name: action_bigram_repetition
id: D23
description: >-
  Mean share of consecutive command pairs that occurred before in the episode: 1 - distinct pairs / all pairs.
layer: behavior
unit: share
estimate: mean
healthy: [0, 0.6]
warn: {above: 0.6}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, 9B fields (bigram repetition); own bound
domains: [swe]
---*/
SELECT avg(m) AS value, count(*) AS n, stddev_samp(m) AS sd, avg(k) AS samples, min(example, 5) AS examples
FROM (
  SELECT avg(action_bigram_repetition) AS m, count(*) AS k,
    min(trajectory_id) FILTER (action_bigram_repetition > 0.6) AS example
  FROM t
  GROUP BY task_id
  HAVING count(action_bigram_repetition) > 0
)
