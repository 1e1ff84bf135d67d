/*---
name: length_growth
id: D38
description: Mean completion length, divided by that of the previous set.
layer: version
unit: ratio
estimate: point
healthy: [0.33, 2]
warn: {above: 2}
critical: {above: 3}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 6, length gaming (about threefold)
---*/
SELECT
  (SELECT avg(coalesce(completion_tokens, completion_characters)) FROM t)
    / nullif((SELECT avg(coalesce(completion_tokens, completion_characters)) FROM t_prev), 0) AS value,
  (SELECT count(*) FROM t_prev) AS n, NULL AS sd, [] AS examples
