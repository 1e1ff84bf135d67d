/*---
name: abandonment
description: Agents give up.
layer: behaviour
level: warn
about: [abandonment_share, agent_turns]
reads: Episodes end within three turns without an edit; being brief is paid, or trying is not.
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, degeneration classes of the filter; own bound
domains: [imported]
---*/
now.abandonment_share > 0.20
