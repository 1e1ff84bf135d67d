/*---
name: malformed_calls
description: Calls are wasted on words that are no call.
layer: behaviour
level: warn
about: [malformed_call_share, turns_per_episode]
reads: Turns go to calls that no tool understands.
status: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks; own bounds
domains: [swe.minirepo]
---*/
now.malformed_call_share > 0.10
