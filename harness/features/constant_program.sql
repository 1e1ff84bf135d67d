/*---
name: constant_program
description: The program is well-formed and does not read its input.
layer: behaviour
type: boolean
unit: yes or no
class: constant_program
status: provisional
source: docs/domains/code-listprog.md, Outcomes; rare in every policy so far, hence provisional
domains: [code.listprog]
---*/
visible.verdict IN ('correct', 'incorrect') AND NOT list_contains(string_split(artifact, ' '), 'x')
  AND NOT list_contains(flatten(list_transform(changes, lambda c: c.calls)), 'EXIT')
