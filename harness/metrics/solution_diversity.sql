/*---
name: solution_diversity
id: D24
description: 1 minus the mean overlap (Jaccard) of the sets of changed files, over the pairs of a group.
layer: signal
unit: share
estimate: mean
healthy: [0.15, 1]
warn: {below: 0.15}
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/harness/agentic-rl-harness.md, metric 2.5 (15 %)
domains: [swe]
---*/
WITH changed AS (
  SELECT group_id, sample, list_distinct(list_transform(changes, lambda c: c.path)) AS paths
  FROM t
  WHERE len(changes) > 0
)
SELECT avg(d) AS value, count(*) AS n, stddev_samp(d) AS sd, arg_min(group_id, d, 5) AS examples
FROM (
  SELECT group_id, 1 - avg(len(list_intersect(one.paths, two.paths))
    / (len(one.paths) + len(two.paths) - len(list_intersect(one.paths, two.paths)))) AS d
  FROM changed one JOIN changed two USING (group_id)
  WHERE one.sample < two.sample
  GROUP BY group_id
)
