/*---
name: exploration_collapse
description: Samples of a task have become alike, and the policy sure of them.
layer: signal
level: warn
about: [sequence_diversity, mean_logprob]
reads: Since the set before, groups lost a tenth of their variety while log-probabilities moved halfway to certainty.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, rule 3
---*/
now.sequence_diversity < prev.sequence_diversity - 0.10 AND now.mean_logprob > 0.5 * prev.mean_logprob
