/*---
name: format_loss
description: Right work is lost because of the form of the answer.
layer: behavior
severity: warn
metrics: [format_failure_share, no_answer_share]
meaning: Answers are missing or not in the required form.
stage: admitted
source: docs/domains/math-chain.md, Bottlenecks; own bound
domains: [math.chain, own]
---*/
now.format_failure_share - coalesce(now.spraying_share, 0) > 0.10
