/*---
name: malformed_programs
description: Programs do not parse.
layer: behaviour
level: warn
about: [format_failure_share]
reads: Right ideas are lost to brackets that do not close.
status: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bound
domains: [code.listprog]
---*/
now.format_failure_share > 0.10
