/*---
name: turn_inflation
description: Episodes keep growing longer.
layer: behavior
severity: warn
metrics: [turns_per_episode, unpaid_turns_ratio]
meaning: Turns rise from set to set, or failures take far more turns than the mean. This is how an echo trap begins.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 2; the least rise is own
domains: [swe]
---*/
coalesce(now.turns_per_episode > prev.turns_per_episode AND prev.turns_per_episode > prev2.turns_per_episode
  AND now.turns_per_episode > 1.1 * prev2.turns_per_episode, FALSE)
  OR now.unpaid_turns_ratio > 1.5
