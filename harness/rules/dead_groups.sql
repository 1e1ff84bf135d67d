/*---
name: dead_groups
description: Most groups have equal rewards and teach nothing.
layer: signal
severity: warn
metrics: [zero_variance_share, unsolved_dead_share]
meaning: >-
  In too many groups all rewards are equal, so that most samples carry no gradient. Look for tasks that are out of
  reach, and for a reward that does not depend on the output.
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 1.4 (30 %); that groups in the top
  fifth count only where most were there from the start (50 %) is own
domains: [imported]
---*/
now.comparable_groups >= 8 AND (now.unsolved_dead_share > 0.30
  OR coalesce(now.zero_variance_share - now.unsolved_dead_share > 0.50
    AND first.zero_variance_share - first.unsolved_dead_share > 0.50, now.zero_variance_share > 0.99))
