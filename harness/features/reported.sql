/*---
name: reported
description: The policy gave up and reported instead of submitting.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: docs/domains/swe-minirepo.md, Tools
domains: [swe.minirepo]
---*/
len(list_filter(actions, lambda a: a.kind = 'report')) > 0
