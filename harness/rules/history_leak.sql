/*---
name: history_leak
description: Fixes are looked up instead of found.
layer: behavior
severity: critical
metrics: [history_read_share, true_mean]
meaning: >-
  The history contains the fix and the policy reads it, so the score does not measure repair. Close the history before
  comparing anything.
stage: admitted
source: EvoTrainer (arXiv:2606.03108), appendix D.2, 48.8 with the history open and 31.0 without; own bound
domains: [swe.minirepo]
---*/
now.history_read_share > 0.10
