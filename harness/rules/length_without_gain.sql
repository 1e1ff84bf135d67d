/*---
name: length_without_gain
description: Outputs grow to twice their length and more, and the result is no better.
flag: R24
layer: version
level: critical
about: [completion_tokens, turns_per_episode, reward_mean, outcome_component]
reads: Length is paid, or nothing holds it back; outputs grow without gain. Look for repetition, and for a reward that length alone moves.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 6 (length up threefold without gain); arXiv:2502.03373 on length gaming; own bounds
domains: [population]
---*/
-- Where more turns make the length, the turns are the finding. Without a component for the result the reward itself stands for it.
now.completion_tokens >= 1.8 * prev.completion_tokens
  AND coalesce(now.turns_per_episode < 1.4 * prev.turns_per_episode, TRUE)
  AND coalesce(now.outcome_component <= prev.outcome_component + 0.05, now.reward_mean <= prev.reward_mean + 0.05)
