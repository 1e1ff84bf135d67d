/*---
name: example_lookup
description: The program contains a list of two or more digits that the prompt shows.
layer: behavior
type: boolean
unit: yes or no
failure_class: example_lookup
stage: provisional
source: >-
  docs/domains/code-listprog.md, Outcomes (special-casing of shown examples); never seen in a policy so far, hence
  provisional
domains: [code.listprog]
---*/
len(list_filter(flatten(list_transform(changes, lambda c: c.literals)),
  lambda l: len(l) > 5 AND contains(prompt, l))) > 0
