/*---
name: exploration_collapse
description: Samples of a task have become alike, and the policy has become certain of them.
layer: signal
severity: warn
metrics: [sequence_diversity, mean_logprob, train_distinct_share, train_logprob_ratio]
meaning: >-
  Groups lost a tenth of their variety, on DIAG or on the trained tasks, and log-probabilities moved halfway to
  certainty.
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 3
---*/
(now.sequence_diversity < prev.sequence_diversity - 0.10 AND now.mean_logprob > 0.5 * prev.mean_logprob)
  -- A policy that has memorized a few tasks is uncertain on fresh ones, so DIAG does not show the collapse.
  OR coalesce(now.train_distinct_share < prev.train_distinct_share - 0.10 AND now.train_logprob_ratio < 0.5, FALSE)
