/*---
name: efficient_fraction
description: Share of the training-hidden tests that pass, reduced by up to 30 % for the turns used.
layer: score
type: number
unit: share
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108), tables 13-15, factor 1.0 - 0.3 * turns / max; paid for, it ends in one-turn exits. 20
  turns are own
domains: [swe]
---*/
coalesce(hidden.tests_passed::DOUBLE / nullif(hidden.tests_passed + hidden.tests_failed + hidden.tests_missing, 0), 0)
  * (1.0 - 0.3 * least(1, turn_count / 20.0))
