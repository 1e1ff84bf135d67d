/*---
name: completion_tokens
description: Number of sampled tokens in the episode.
layer: behavior
type: number
unit: tokens
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.3
---*/
token_count
