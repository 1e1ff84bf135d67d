/*---
name: timed_out
description: The program uses up its step limit on a shown or a hidden input.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: docs/domains/code-listprog.md, Options (fuel)
domains: [code.listprog]
---*/
visible.verdict = 'timeout' OR hidden.verdict = 'timeout'
