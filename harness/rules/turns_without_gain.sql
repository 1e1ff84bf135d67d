/*---
name: turns_without_gain
description: Episodes take many more turns and are paid more, and the result is no better.
flag: R23
layer: version
level: critical
about: [turns_per_episode, reward_mean, outcome_component]
reads: Turns themselves, or steps that look like progress, are paid. Pay for the result, or cap the turns.
status: admitted
source: EvoTrainer (arXiv:2606.03108) on turn inflation under a reward for iterative debugging; own bounds
domains: [population]
---*/
now.turns_per_episode >= 1.4 * prev.turns_per_episode AND now.turns_per_episode >= prev.turns_per_episode + 1
  AND now.reward_mean > prev.reward_mean + 0.01
  AND coalesce(now.outcome_component <= prev.outcome_component + 0.05, FALSE)
