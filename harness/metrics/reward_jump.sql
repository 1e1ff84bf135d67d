/*---
name: reward_jump
id: D46
description: >-
  Change of the mean reward since the previous set, in standard errors. After a large change, check what is paid.
layer: version
unit: standard errors
estimate: point
healthy: [-3, 3]
warn: {above: 3}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, the leak of git history was seen as such a jump; own bound
---*/
WITH now AS (
  SELECT avg(m) AS mean, stddev_samp(m) AS sd, count(m) AS k
  FROM (SELECT avg(reward) AS m FROM t GROUP BY task_id)
),
before AS (
  SELECT avg(m) AS mean, stddev_samp(m) AS sd, count(m) AS k
  FROM (SELECT avg(reward) AS m FROM t_prev GROUP BY task_id)
)
SELECT (now.mean - before.mean) / nullif(sqrt(now.sd ^ 2 / now.k + before.sd ^ 2 / before.k), 0) AS value,
  now.k AS n, NULL AS sd, [] AS examples
FROM now, before
