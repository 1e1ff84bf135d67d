/*---
name: reward_mode_share
id: D3
description: Share of the most common reward value.
layer: signal
unit: share of trajectories
estimate: point
healthy: [0, 0.5]
warn: {above: 0.8}
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 1 (half of the mass); the warning is
  own
---*/
SELECT max(k) / sum(k) AS value, sum(k)::BIGINT AS n, NULL AS sd, [] AS examples
FROM (SELECT round(reward, 6) AS paid, count(*) AS k FROM t WHERE reward IS NOT NULL GROUP BY paid)
