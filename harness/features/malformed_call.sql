/*---
name: malformed_call
description: A call of a tool was none.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: docs/domains/swe-minirepo.md, Tools
domains: [swe]
---*/
len(list_filter(turns, lambda t: t.role = 'policy' AND t.status = 'malformed')) > 0
