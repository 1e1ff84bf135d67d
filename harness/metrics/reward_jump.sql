/*---
name: reward_jump
id: D46
description: Change of the mean reward since the set before, in standard errors. A large one asks for a look at what is paid.
layer: version
unit: standard errors
estimate: point
healthy: [-3, 3]
warn: {above: 3}
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, the leak of git history was seen as such a jump; own bound
---*/
SELECT (n.mean - p.mean) / nullif(sqrt(n.sd ^ 2 / n.k + p.sd ^ 2 / p.k), 0) AS value, n.k AS n, NULL AS sd, [] AS examples
FROM (SELECT avg(m) AS mean, stddev_samp(m) AS sd, count(m) AS k FROM (SELECT avg(reward) AS m FROM t GROUP BY task_id)) n,
  (SELECT avg(m) AS mean, stddev_samp(m) AS sd, count(m) AS k FROM (SELECT avg(reward) AS m FROM t_prev GROUP BY task_id)) p
