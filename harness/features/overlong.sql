/*---
name: overlong
description: How far the output reaches into the last fifth of its token limit.
layer: behaviour
type: number
unit: 0..1
status: admitted
source: DAPO (arXiv:2503.14476) 3.4, soft overlong punishment
---*/
least(1, greatest(0, (token_count - 0.8 * max_tokens) / (0.2 * max_tokens)))
