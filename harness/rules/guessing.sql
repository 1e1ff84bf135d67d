/*---
name: guessing
description: Answers are guessed without intermediate results.
layer: behavior
severity: warn
metrics: [no_scratchpad_share, right_without_scratchpad, checked_steps]
meaning: Outputs skip the intermediate results and are right only by chance.
stage: admitted
source: docs/domains/math-chain.md, Bottlenecks; own bounds
domains: [math.chain]
---*/
now.no_scratchpad_share > 0.10 AND now.right_without_scratchpad < 0.30
