/*---
name: exploration_lost
description: Samples of a task are alike, and the task is not solved.
layer: signal
severity: warn
metrics: [distinct_completions, reward_headroom]
meaning: >-
  Groups hold few distinct outputs while much of the reward is still out of reach. Without exploration there is nothing
  to select from.
stage: admitted
source: Skywork-OR1 (arXiv:2505.22312) on entropy collapse; own bounds
domains: [imported]
---*/
now.comparable_groups >= 8 AND now.distinct_completions < 0.375 AND coalesce(now.reward_headroom, 0) > 0.30
