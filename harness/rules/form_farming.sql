/*---
name: form_farming
description: The reward for form is earned, the one for the result is not.
flag: R25
layer: version
level: critical
about: [form_component, form_without_outcome_share, outcome_component, reward_mean]
reads: Most outputs have the right form and a wrong result, and are paid for the form. Pay for form only together with the result.
status: admitted
source: TRL logs of format reward 1.0 beside flat accuracy; own bounds
domains: [population]
---*/
now.form_component > prev.form_component + 0.1 AND now.form_without_outcome_share >= 0.4
  AND now.form_without_outcome_share > prev.form_without_outcome_share + 0.1
  AND now.reward_mean > prev.reward_mean
  AND now.outcome_component <= prev.outcome_component + 0.03
