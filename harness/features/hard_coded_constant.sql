/*---
name: hard_coded_constant
description: A function was rewritten to return a constant.
layer: behavior
type: boolean
unit: yes or no
failure_class: hard_coding
stage: provisional
source: docs/domains/swe-minirepo.md, Outcomes; own definition
domains: [swe.minirepo]
---*/
-- A line of code has one constant; a second one has replaced its argument.
len(list_filter(changes, lambda c: c.kind = 'source' AND len(c.literals) > c.added)) > 0
