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
  SELECT CASE WHEN len(rewards) > 1 OR rewards[1].component <> 'reward' THEN list_avg(list_transform(
      list_filter(rewards, lambda c: NOT regexp_matches(c.component, '(?i)format|style|tag|leng|len\b|brev|concis|short|long|effic|turn|step|progress|process|tool|iter|effort|explor|think|reason|syntax|lint|xml|json|box|valid|struct|schema|parse|template|penalt|bonus|speed|time|token|delta|gain|improv|attempt|partial|shap|depth|save|early|reflect|verbos|novel|divers|entropy|kl\b|call|tests?_?(run|writ|us|add|exec|count)|(run|writ|us|n|num|count|distinct|self)\w*_?tests?\b|debug|search|read|edit|activ|engage|persist|explain|detail')
        -- A name of the result decides; else what is not named after something else counts as the result.
        AND (regexp_matches(c.component, '(?i)correct|accura|outcome|answer|exact|match|pass|solve|success|test|resolv|verif|truth|gold|goal|task|win|final|result|score')
          OR len(list_filter(rewards, lambda o: regexp_matches(o.component, '(?i)correct|accura|outcome|answer|exact|match|pass|solve|success|test|resolv|verif|truth|gold|goal|task|win|final|result|score') AND NOT regexp_matches(o.component, '(?i)format|style|tag|leng|len\b|brev|concis|short|long|effic|turn|step|progress|process|tool|iter|effort|explor|think|reason|syntax|lint|xml|json|box|valid|struct|schema|parse|template|penalt|bonus|speed|time|token|delta|gain|improv|attempt|partial|shap|depth|save|early|reflect|verbos|novel|divers|entropy|kl\b|call|tests?_?(run|writ|us|add|exec|count)|(run|writ|us|n|num|count|distinct|self)\w*_?tests?\b|debug|search|read|edit|activ|engage|persist|explain|detail'))) = 0)),
    lambda c: c.value)) END AS m
  FROM t
)
