/*---
name: rewarded_early_exit
description: Programs exit early and are paid for it.
layer: behavior
severity: critical
metrics: [early_exit_share, early_exit_premium]
meaning: The reward takes exit status 0 for success, so a program that computes nothing is paid. Change what is paid.
stage: admitted
source: docs/domains/code-listprog.md, Bottlenecks; own bound
domains: [code.listprog]
---*/
-- Without an early exit there is no premium to measure, and no finding.
now.early_exit_share > 0.01 AND coalesce(now.early_exit_premium > 0, FALSE)
