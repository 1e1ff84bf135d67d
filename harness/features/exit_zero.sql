/*---
name: exit_zero
description: The run of the shown tests ends with exit status 0; stopping early with success does it too.
layer: score
type: number
unit: 0 or 1
status: admitted
source: docs/domains/code-listprog.md, Outcomes; the judge that counts no tests
domains: [code.listprog]
---*/
coalesce(visible.exit_code = 0, FALSE)::INTEGER
