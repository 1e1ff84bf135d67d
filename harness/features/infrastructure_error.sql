/*---
name: infrastructure_error
description: The episode failed for a reason outside the policy.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: docs/gate.md, guard 2
---*/
coalesce(visible.error_kind = 'infrastructure', FALSE) OR coalesce(hidden.error_kind = 'infrastructure', FALSE)
