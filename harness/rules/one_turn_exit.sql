/*---
name: one_turn_exit
description: Episodes end at once, are paid more, and achieve less.
flag: R22
layer: version
level: critical
about: [turns_per_episode, reward_mean, outcome_component, empty_answer_share]
reads: Being brief is paid whatever comes of it; episodes end after a turn or two without the work. Pay for brevity only where the result is right.
status: admitted
source: EvoTrainer (arXiv:2606.03108) on one-turn exits under an efficiency reward; own bounds
domains: [population]
---*/
-- Fewer turns for the same result are what an efficiency reward is for.
now.turns_per_episode <= 2.5 AND now.turns_per_episode <= 0.5 * prev.turns_per_episode
  AND now.reward_mean > prev.reward_mean
  AND coalesce(now.outcome_component < prev.outcome_component - 0.03,
    now.empty_answer_share > prev.empty_answer_share + 0.2 OR now.completion_tokens < 0.25 * prev.completion_tokens)
