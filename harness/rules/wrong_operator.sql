/*---
name: wrong_operator
description: Short programs are well-formed and wrong.
layer: behaviour
level: warn
about: [wrong_value_depth_1_2, true_depth_1_3]
reads: Words and operators are confused where there is nothing to compose yet.
status: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bound
domains: [code.listprog]
---*/
now.wrong_value_depth_1_2 > 0.10
