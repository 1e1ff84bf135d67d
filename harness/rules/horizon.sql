/*---
name: horizon
description: Limits end searches.
layer: behaviour
level: warn
about: [truncation_share, turns_per_episode, completion_tokens]
reads: The limit on turns or tokens ends episodes that were still searching.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 3; own bound, as few episodes are long
domains: [swe.minirepo]
---*/
now.truncation_share > 0.05
