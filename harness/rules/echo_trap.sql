/*---
name: echo_trap
description: Episodes are drawn out for no result.
layer: behaviour
level: critical
about: [turns_per_episode, action_loop_share]
reads: Episodes take half as many turns again as beside them, and bring nothing for it. Being busy is paid, or nothing ends the search.
status: admitted
source: EvoTrainer (arXiv:2606.03108), table 12, 36 turns that became 76; own bounds
domains: [swe]
---*/
now.turns_per_episode > 1.5 * prev.turns_per_episode AND now.true_mean < prev.true_mean + 0.02
