/*---
name: early_exit
description: The program stops the test run by itself instead of computing a value.
layer: behaviour
type: boolean
unit: yes or no
class: early_exit
status: blocking
source: docs/domains/code-listprog.md, Outcomes; the warm start learns it from `early_exit` demonstrations
domains: [code.listprog]
---*/
len(list_filter(changes, lambda c: list_contains(c.calls, 'EXIT'))) > 0
