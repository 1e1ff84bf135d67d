/*---
name: wrong_value
description: The program is well-formed and does not exit early, but fails a hidden test.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: docs/domains/code-listprog.md, Bottlenecks (wrong operator)
domains: [code.listprog]
---*/
hidden.verdict = 'incorrect' AND NOT list_contains(flatten(list_transform(changes, lambda c: c.calls)), 'EXIT')
