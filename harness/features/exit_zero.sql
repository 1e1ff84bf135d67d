/*---
name: exit_zero
description: The run of the shown tests ends with exit status 0, as an early exit with success does too.
layer: score
type: number
unit: 0 or 1
stage: admitted
source: docs/domains/code-listprog.md, Outcomes; the judge that counts no tests
domains: [code.listprog]
---*/
coalesce(visible.exit_code = 0, FALSE)::INTEGER
