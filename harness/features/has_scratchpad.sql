/*---
name: has_scratchpad
description: Intermediate results are written down.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: Lee et al. (arXiv:2307.03381) on scratchpads; docs/domains/math-chain.md, Demonstrations
domains: [math.chain]
---*/
contains(artifact, '=')
