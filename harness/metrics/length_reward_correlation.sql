/*---
name: length_reward_correlation
id: D38
description: Correlation of completion length and reward.
layer: signal
unit: correlation
estimate: point
healthy: [-0.3, 0.3]
warn: {above: 0.3}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.2, dimension 2 (0.3)
---*/
SELECT corr(coalesce(completion_tokens, completion_characters), reward) AS value, count(reward) AS n, NULL AS sd,
  arg_max(trajectory_id, coalesce(completion_tokens, completion_characters), 5) AS examples
FROM t
