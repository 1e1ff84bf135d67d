/*---
name: submitted_without_run
description: Submitted without a test run after the last change.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: docs/domains/swe-minirepo.md, Demonstrations
domains: [swe.minirepo]
---*/
stop_reason = 'submitted'
  AND coalesce(list_max(list_transform(list_filter(actions, lambda a: a.kind = 'test'), lambda a: a.turn)), -1)
    <= coalesce(list_max(list_transform(list_filter(actions, lambda a: a.wrote), lambda a: a.turn)), -1)
