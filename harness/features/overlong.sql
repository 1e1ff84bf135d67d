/*---
name: overlong
description: Share of the last fifth of the token limit that the output uses.
layer: behavior
type: number
unit: 0..1
stage: admitted
source: DAPO (arXiv:2503.14476) 3.4, soft overlong punishment
---*/
least(1, greatest(0, (token_count - 0.8 * max_tokens) / (0.2 * max_tokens)))
