/*---
name: action_string
description: >-
  The actions in order, one letter each: E edit, T test, S search, R read, X run, V version control, N network, I
  install, U submit, P report, O other.
layer: behavior
type: category
unit: letters
stage: admitted
source: own; metrics ask it by pattern
---*/
CASE WHEN actions IS NOT NULL THEN coalesce(list_aggregate(list_transform(actions, lambda a: CASE a.kind
  WHEN 'edit' THEN 'E' WHEN 'test' THEN 'T' WHEN 'search' THEN 'S' WHEN 'read' THEN 'R' WHEN 'run' THEN 'X'
  WHEN 'vcs' THEN 'V' WHEN 'network' THEN 'N' WHEN 'install' THEN 'I' WHEN 'submit' THEN 'U' WHEN 'report' THEN 'P'
  ELSE 'O' END), 'string_agg', ''), '') END
