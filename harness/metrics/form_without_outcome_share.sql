/*---
name: form_without_outcome_share
description: Share of trajectories that a component for form pays in full while those for the result pay less than half.
layer: score
unit: share
estimate: share
healthy: [0, 0.5]
status: admitted
source: TRL logs of format reward 1.0 beside flat accuracy; own bound
domains: [population]
---*/
SELECT avg(m) AS value, count(m) AS n, stddev_samp(m) AS sd, min(trajectory_id, 5) FILTER (m = 1) AS examples
FROM (
  SELECT trajectory_id, CASE WHEN len(outcome) > 0 AND len(form) > 0 THEN (list_avg(outcome) < 0.5 AND list_max(form) >= 0.9)::INTEGER END AS m
  FROM (
    SELECT trajectory_id,
      list_transform(
        list_filter(rewards, lambda c: NOT regexp_matches(c.component, '(?i)format|style|tag|leng|len\b|brev|concis|short|long|effic|turn|step|progress|process|tool|iter|effort|explor|think|reason|syntax|lint|xml|json|box|valid|struct|schema|parse|template|penalt|bonus|speed|time|token|delta|gain|improv|attempt|partial|shap|depth|save|early|reflect|verbos|novel|divers|entropy|kl\b|call')
        -- A name of the result decides; else what is not named after something else counts as the result.
        AND (regexp_matches(c.component, '(?i)correct|accura|outcome|answer|exact|match|pass|solve|success|test|resolv|verif|truth|gold|goal|task|win|final|result|score')
          OR len(list_filter(rewards, lambda o: regexp_matches(o.component, '(?i)correct|accura|outcome|answer|exact|match|pass|solve|success|test|resolv|verif|truth|gold|goal|task|win|final|result|score') AND NOT regexp_matches(o.component, '(?i)format|style|tag|leng|len\b|brev|concis|short|long|effic|turn|step|progress|process|tool|iter|effort|explor|think|reason|syntax|lint|xml|json|box|valid|struct|schema|parse|template|penalt|bonus|speed|time|token|delta|gain|improv|attempt|partial|shap|depth|save|early|reflect|verbos|novel|divers|entropy|kl\b|call'))) = 0)),
        lambda c: c.value) AS outcome,
      list_transform(
        list_filter(rewards, lambda c: regexp_matches(c.component, '(?i)format|style|tag|syntax|lint|xml|json|box|valid|struct|schema|parse|template|think|reason') AND NOT regexp_matches(c.component, '(?i)leng|len\b|token')),
        lambda c: c.value) AS form
    FROM t
  )
)
