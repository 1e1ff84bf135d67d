/*---
name: format_loss
description: Right work is lost to the form of the answer.
layer: behaviour
level: warn
about: [format_failure_share, no_answer_share]
reads: Answers are missing or not in the asked form.
status: admitted
source: docs/domains/math-chain.md, Bottlenecks; own bound
domains: [math.chain]
---*/
now.format_failure_share - coalesce(now.spraying_share, 0) > 0.10
