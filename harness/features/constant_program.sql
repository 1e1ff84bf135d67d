/*---
name: constant_program
description: The program is well-formed but does not read its input.
layer: behavior
type: boolean
unit: yes or no
failure_class: constant_program
stage: provisional
source: docs/domains/code-listprog.md, Outcomes; rare in every policy so far, hence provisional
domains: [code.listprog]
---*/
visible.verdict IN ('correct', 'incorrect') AND NOT list_contains(string_split(artifact, ' '), 'x')
  AND NOT list_contains(flatten(list_transform(changes, lambda c: c.calls)), 'EXIT')
