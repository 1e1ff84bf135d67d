/*---
name: length_reward_correlation
description: Correlation of completion length with reward.
layer: signal
unit: correlation
estimate: point
healthy: [-0.3, 0.3]
warn: {above: 0.3}
status: admitted
source: papers 1.9, math extension; trainers-diagnostics-hacks 4.4 D38
---*/
SELECT corr(completion_tokens, reward) AS value, count(reward) AS n, NULL AS sd, arg_max(trajectory_id, completion_tokens, 5) AS examples
FROM t
