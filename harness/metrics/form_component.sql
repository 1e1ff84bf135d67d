/*---
name: form_component
description: Mean of the reward's components that pay for form, told by their names.
layer: score
unit: reward
estimate: mean
healthy: [null, null]
status: admitted
source: own; the counterpart of outcome_component
domains: [population]
---*/
SELECT avg(m) AS value, count(m) AS n, stddev_samp(m) AS sd, [] AS examples
FROM (
  SELECT list_avg(list_transform(list_filter(rewards, lambda c:
      regexp_matches(c.component, '(?i)format|style|tag|syntax|lint|xml|json|box|valid|struct|schema|parse|template|think|reason') AND NOT regexp_matches(c.component, '(?i)leng|len\b|token')), lambda c: c.value)) AS m
  FROM t
)
