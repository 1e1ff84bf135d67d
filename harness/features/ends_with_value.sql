/*---
name: ends_with_value
description: The program parses and computes a value on every shown input, right or wrong.
layer: behavior
type: number
unit: 0 or 1
stage: admitted
source: docs/domains/code-listprog.md, Bottlenecks (the parser's floor)
domains: [code.listprog]
---*/
(visible.verdict IN ('correct', 'incorrect') AND visible.tests_missing = 0
  AND NOT list_contains(flatten(list_transform(changes, lambda c: c.calls)), 'EXIT'))::INTEGER
