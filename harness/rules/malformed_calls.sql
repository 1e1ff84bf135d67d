/*---
name: malformed_calls
description: Turns are wasted on malformed tool calls.
layer: behavior
severity: warn
metrics: [malformed_call_share, turns_per_episode]
meaning: Turns go to calls that no tool accepts.
stage: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.malformed_call_share > 0.10
