/*---
name: hidden_fraction
description: Share of the training-hidden tests that pass.
layer: score
type: number
unit: share
stage: admitted
source: docs/domains/code-listprog.md, Outcomes; dense rewards after Le et al. (arXiv:2207.01780)
domains: [code.listprog]
---*/
coalesce(hidden.tests_passed::DOUBLE / nullif(hidden.tests_passed + hidden.tests_failed + hidden.tests_missing, 0), 0)
