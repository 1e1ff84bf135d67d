/*---
name: checked_steps
description: Share of the chain's steps that are written down, belong to this chain and are right.
layer: behavior
type: number
unit: share
stage: admitted
source: docs/domains/math-chain.md, Bottlenecks; scratchpads after Lee et al. (arXiv:2307.03381)
domains: [math.chain]
---*/
-- Step k must continue the one before, use the k-th operator and operand of the prompt, and be right modulo 10.
len(list_filter(
  regexp_extract_all(artifact, '[0-9] [-+*] [0-9] = [0-9]'),
  lambda s, k: k <= level
    AND s[1] = CASE WHEN k = 1 THEN prompt[3]
      ELSE regexp_extract_all(artifact, '[0-9] [-+*] [0-9] = [0-9]')[k - 1][9] END
    AND s[3] = prompt[4 * k + 1]
    AND s[5] = prompt[4 * k + 3]
    AND s[9] = ((CASE s[3]
      WHEN '+' THEN s[1]::INTEGER + s[5]::INTEGER
      WHEN '-' THEN s[1]::INTEGER - s[5]::INTEGER + 10
      ELSE s[1]::INTEGER * s[5]::INTEGER END) % 10)::VARCHAR
))::DOUBLE / level
