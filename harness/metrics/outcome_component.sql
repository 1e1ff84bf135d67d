/*---
name: outcome_component
description: Mean of the reward's components that pay for the result, told by their names.
layer: score
unit: reward
estimate: mean
healthy: [null, null]
status: admitted
source: own; trainers name the parts of a reward, and what is not named after form, length or effort pays for the result
domains: [population]
---*/
SELECT avg(m) AS value, count(m) AS n, stddev_samp(m) AS sd, [] AS examples
FROM (
  SELECT list_avg(list_transform(list_filter(rewards, lambda c:
      regexp_matches(c.component, '(?i)correct|accura|outcome|answer|exact|match|pass|solve|success|test|resolv|verif|truth|gold|goal|task|win|final|result|score')
      AND NOT regexp_matches(c.component, '(?i)format|style|tag|leng|len\b|brev|concis|effic|turn|step|progress|process|tool|iter|effort|explor|think|reason|syntax|lint|xml|json|box|penalt|bonus|speed|time')),
    lambda c: c.value)) AS m
  FROM t
)
