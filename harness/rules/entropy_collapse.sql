/*---
name: entropy_collapse
description: The policy has stopped exploring.
layer: signal
level: warn
about: [entropy, distinct_completions, entropy_ratio]
reads: Samples of a task are nearly alike; without exploration there is nothing to select.
status: admitted
source: trainers-diagnostics-hacks 4.2 D9; domains-and-statistics 5.2 row 6
---*/
-- Without a first generation to compare with, the absolute bounds still say something.
now.entropy < 0.1
  OR now.distinct_completions < 0.375
  OR coalesce(now.entropy < 0.5 * first.entropy, FALSE)
