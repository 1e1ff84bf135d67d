/*---
name: malformed_programs
description: Programs do not parse.
layer: behavior
severity: warn
metrics: [format_failure_share]
meaning: Right ideas are lost because the programs do not parse, for example by an open bracket.
stage: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bound
domains: [code.listprog]
---*/
now.format_failure_share > 0.10
