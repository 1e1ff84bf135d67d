/*---
name: right_after_run
description: Right by the training-hidden tests, with a test run after the last change.
layer: behavior
type: number
unit: 0 or 1
stage: admitted
source: docs/domains/swe-minirepo.md, Bottlenecks (form is paid only where the work is right)
domains: [swe.minirepo]
---*/
(coalesce(hidden.score, 0) = 1
  AND coalesce(list_max(list_transform(list_filter(actions, lambda a: a.kind = 'test'), lambda a: a.turn)), -1)
    > coalesce(list_max(list_transform(list_filter(actions, lambda a: a.wrote), lambda a: a.turn)), -1))::INTEGER
