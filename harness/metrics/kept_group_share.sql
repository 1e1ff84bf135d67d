/*---
name: kept_group_share
id: D4
description: 'Share of groups with at least one rollout in the loss: the effective sample ratio.'
layer: signal
unit: share of groups
estimate: share
healthy: [0.3, 1]
critical: {below: 0.3}
stage: admitted
source: >-
  DAPO (arXiv:2503.14476) on filtered groups; EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md (below
  30 % is over-filtering)
---*/
SELECT avg(kept_any::INTEGER) AS value, count(kept_any) AS n, NULL AS sd,
  min(group_id, 5) FILTER (NOT kept_any) AS examples
FROM (SELECT group_id, bool_or(kept) AS kept_any FROM t GROUP BY group_id)
