/*---
name: history_leak
description: Fixes are looked up, not found.
layer: behaviour
level: critical
about: [history_read_share, true_mean]
reads: The history holds the answer and the policy reads it; the score is that of a reader. Close the history before anything is compared.
status: admitted
source: EvoTrainer (arXiv:2606.03108), appendix D.2, 48.8 with the history open and 31.0 without; own bound
domains: [swe.minirepo]
---*/
now.history_read_share > 0.10
