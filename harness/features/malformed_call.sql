/*---
name: malformed_call
description: At least one tool call was malformed.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: docs/domains/swe-minirepo.md, Tools
domains: [swe]
---*/
len(list_filter(turns, lambda t: t.role = 'policy' AND t.status = 'malformed')) > 0
