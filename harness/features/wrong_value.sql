/*---
name: wrong_value
description: The program is well-formed, stops no run early, and fails a hidden test.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: docs/domains/code-listprog.md, Bottlenecks (wrong operator)
domains: [code.listprog]
---*/
hidden.verdict = 'incorrect' AND NOT list_contains(flatten(list_transform(changes, lambda c: c.calls)), 'EXIT')
