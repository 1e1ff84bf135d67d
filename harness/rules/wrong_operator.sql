/*---
name: wrong_operator
description: Short programs are well-formed but wrong.
layer: behavior
severity: warn
metrics: [wrong_value_depth_1_2, true_depth_1_3]
meaning: The policy confuses words and operators even where there is nothing to compose.
stage: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bound
domains: [code.listprog]
---*/
now.wrong_value_depth_1_2 > 0.10
