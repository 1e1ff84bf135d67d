/*---
name: infrastructure_error
description: The episode failed by no fault of the policy.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: docs/gate.md, guard 2
---*/
coalesce(visible.error_kind = 'infrastructure', FALSE) OR coalesce(hidden.error_kind = 'infrastructure', FALSE)
