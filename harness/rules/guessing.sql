/*---
name: guessing
description: Answers are guessed without intermediate results.
layer: behaviour
level: warn
about: [no_scratchpad_share, right_without_scratchpad, checked_steps]
reads: Outputs skip the intermediate results, and are then right by chance.
status: admitted
source: docs/domains/math-chain.md, Bottlenecks; own bounds
domains: [math.chain]
---*/
now.no_scratchpad_share > 0.10 AND now.right_without_scratchpad < 0.30
