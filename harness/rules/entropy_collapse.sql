/*---
name: entropy_collapse
description: The policy has stopped exploring.
layer: signal
severity: warn
metrics: [entropy, distinct_completions, entropy_ratio]
meaning: Samples of a task are nearly identical. Without exploration there is nothing to select from.
stage: admitted
source: Skywork-OR1 (arXiv:2505.22312) on entropy collapse; own bounds, docs/domains/math-chain.md, Bottlenecks
---*/
-- Without a first generation to compare with, the absolute bounds still apply.
now.entropy < 0.1
  OR now.distinct_completions < 0.375
  OR coalesce(now.entropy < 0.5 * first.entropy, FALSE)
