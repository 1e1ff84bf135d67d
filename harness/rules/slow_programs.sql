/*---
name: slow_programs
description: Programs use up their step limit.
layer: behavior
severity: warn
metrics: [timeout_share]
meaning: 'Right programs are too slow: filtering has to come before comparing every element with every other.'
stage: admitted
source: docs/domains/code-listprog.md, Options (fuel); own bound
domains: [code.listprog]
---*/
now.timeout_share > 0.05
