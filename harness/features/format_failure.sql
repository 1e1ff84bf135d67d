/*---
name: format_failure
description: The strict verifier found no answer, or not one in the asked form.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 2
---*/
hidden.verdict IN ('no_answer', 'invalid_format')
