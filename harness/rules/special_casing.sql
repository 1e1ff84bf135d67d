/*---
name: special_casing
description: Programs repeat the shown examples instead of computing.
layer: behaviour
level: critical
about: [example_lookup_share, constant_program_share]
reads: What is paid can be had by spelling out what the prompt shows.
status: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bounds
domains: [code.listprog]
---*/
now.example_lookup_share > 0.02 OR now.constant_program_share > 0.05
