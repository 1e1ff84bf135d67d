/*---
name: paid_for_length
description: Longer outputs to the same task are paid more, and outputs grow.
layer: signal
level: warn
about: [length_pay, completion_characters, completion_tokens, length_growth]
reads: 'Length itself is paid: within a group the longer output earns more, and outputs have grown since the log begins.'
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.2, dimension 2 (0.3), and 6 (length gaming); the growth of a half is own
domains: [imported]
---*/
-- When every output has reached its limit the correlation is gone; the last window that has one tells.
coalesce(now.length_pay, prev.length_pay, prev2.length_pay, first.length_pay) > 0.3
  AND coalesce(now.completion_tokens > 1.5 * first.completion_tokens, now.completion_characters > 1.5 * first.completion_characters)
