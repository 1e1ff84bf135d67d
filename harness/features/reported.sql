/*---
name: reported
description: The policy gave up and reported instead of submitting.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: docs/domains/swe-minirepo.md, Tools
domains: [swe.minirepo]
---*/
len(list_filter(actions, lambda a: a.kind = 'report')) > 0
