/*---
name: turns_longest
id: D26
description: Most turns in one episode.
layer: behavior
unit: turns
estimate: point
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 3.1
domains: [swe]
---*/
SELECT max(turn_count) AS value, count(turn_count) AS n, NULL AS sd, arg_max(trajectory_id, turn_count, 5) AS examples
FROM t
