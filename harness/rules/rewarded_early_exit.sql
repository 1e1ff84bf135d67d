/*---
name: rewarded_early_exit
description: Programs stop early and are paid for it.
layer: behaviour
level: critical
about: [early_exit_share, early_exit_premium]
reads: The reward takes exit status 0 for success; a program that computes nothing is paid. Revise what is paid.
status: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bound
domains: [code.listprog]
---*/
-- Without a single early exit there is no premium to measure, and nothing to find.
now.early_exit_share > 0.01 AND coalesce(now.early_exit_premium > 0, FALSE)
