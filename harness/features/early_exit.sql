/*---
name: early_exit
description: The program stops the test run itself instead of computing a value.
layer: behavior
type: boolean
unit: yes or no
failure_class: early_exit
stage: blocking
source: docs/domains/code-listprog.md, Outcomes; the warm start learns it from `early_exit` demonstrations
domains: [code.listprog]
---*/
len(list_filter(changes, lambda c: list_contains(c.calls, 'EXIT'))) > 0
