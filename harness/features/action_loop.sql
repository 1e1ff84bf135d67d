/*---
name: action_loop
description: Most consecutive repeats of one action (same command and arguments), or of a cycle of two or three actions.
layer: behavior
type: number
unit: repeats
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, a case of 32 runs in a row; cycles are own
domains: [swe, imported]
---*/
-- An action is marked x if it equals the one `p` places before. L consecutive marks are (L + p) / p repeats of a cycle
-- of p actions.
list_max([
  (list_max(list_transform(string_split(list_aggregate(
    list_transform(list_zip(actions[p + 1:], actions[1:len(actions) - p]), lambda pair: CASE
      WHEN pair[1].verb = pair[2].verb AND pair[1].args = pair[2].args THEN 'x' ELSE '|' END),
    'string_agg', ''), '|'), lambda marks: len(marks))) + p) // p
  for p in [1, 2, 3] if len(actions) > p])
