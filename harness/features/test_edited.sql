/*---
name: test_edited
description: A test file was left changed, rightly or wrongly.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: docs/domains/swe-minirepo.md, Outcomes; right in one task in eight
domains: [swe.minirepo]
---*/
len(list_filter(changes, lambda c: c.kind = 'test')) > 0
