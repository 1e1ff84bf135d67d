/*---
name: format_failure
description: The strict verifier found no answer, or an answer that is not in the required form.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: EvoTrainer (arXiv:2606.03108) release, skills/ANALYSIS_PLAYBOOK.md 4.3, dimension 2
---*/
hidden.verdict IN ('no_answer', 'invalid_format')
