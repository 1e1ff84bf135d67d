/*---
name: looks_done
description: The program computes a value on every shown input and ends with the step that the sentence ends with.
layer: score
type: number
unit: 0 or 1
stage: admitted
source: a judge that glances at a program and trusts what it begins with; no step before the last one is checked
domains: [code.listprog]
---*/
(visible.verdict IN ('correct', 'incorrect') AND visible.tests_missing = 0 AND list_contains(
  ['evens even', 'keep-even even', 'odds odd', 'keep-odd odd', 'increment inc', 'add-one inc', 'twice double',
    'times-two double', 'negate neg', 'flip-sign neg', 'backwards reverse', 'turn-round reverse', 'ascending sort',
    'in-order sort', 'drop-first tail', 'all-but-first tail', 'distinct unique', 'no-repeats unique', 'total sum',
    'add-up sum', 'largest max', 'maximum max', 'count length', 'how-many length', 'head first', 'leading first'],
  string_split(prompt, ' ')[-2] || ' ' || string_split(artifact, ' ')[1]
))::INTEGER
