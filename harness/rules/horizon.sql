/*---
name: horizon
description: Limits end searches.
layer: behavior
severity: warn
metrics: [truncation_share, turns_per_episode, completion_tokens]
meaning: The limit on turns or tokens ends episodes that are still searching.
stage: admitted
source: >-
  EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 3; own bound, as few episodes are
  long
domains: [swe.minirepo]
---*/
now.truncation_share > 0.05
