/*---
name: timed_out
description: The program spends its steps on a shown or a hidden input.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: docs/domains/code-listprog.md, Options (fuel)
domains: [code.listprog]
---*/
visible.verdict = 'timeout' OR hidden.verdict = 'timeout'
