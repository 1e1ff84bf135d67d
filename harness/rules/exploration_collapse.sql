/*---
name: exploration_collapse
description: Samples of a task have become alike, and the policy sure of them.
layer: signal
level: warn
about: [sequence_diversity, mean_logprob, train_distinct_share, train_logprob_ratio]
reads: Groups lost a tenth of their variety, here or on the tasks that are trained on, while log-probabilities moved halfway to certainty.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 3
---*/
(now.sequence_diversity < prev.sequence_diversity - 0.10 AND now.mean_logprob > 0.5 * prev.mean_logprob)
  -- A policy that knows its few tasks by heart is at a loss on fresh ones, and looks anything but sure there.
  OR coalesce(now.train_distinct_share < prev.train_distinct_share - 0.10 AND now.train_logprob_ratio < 0.5, FALSE)
