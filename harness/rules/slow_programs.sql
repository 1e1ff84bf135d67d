/*---
name: slow_programs
description: Programs spend their steps.
layer: behaviour
level: warn
about: [timeout_share]
reads: Right programs are too slow; what filters has to come before what compares every element with every other.
status: admitted
source: docs/domains/code-listprog.md, Options (fuel); own bound
domains: [code.listprog]
---*/
now.timeout_share > 0.05
