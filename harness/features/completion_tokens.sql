/*---
name: completion_tokens
description: Sampled tokens of the episode.
layer: behaviour
type: number
unit: tokens
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.3
---*/
token_count
