/*---
name: proxy_truth_gap
description: The visible verifier pays what the oracle refuses.
layer: score
level: critical
about: [visible_true_gap, visible_mean, true_mean]
reads: The reward pays what is not true; change its source before anything else.
status: admitted
source: trainers-diagnostics-hacks 4.5 D39 and D45
---*/
now.visible_true_gap > 0.05
