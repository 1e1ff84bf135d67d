/*---
name: format_failure
description: The strict verifier found no answer, or not one in the asked form.
layer: behaviour
type: boolean
unit: yes or no
status: admitted
source: trainers-diagnostics-hacks 4.4 D34
---*/
hidden.verdict IN ('no_answer', 'invalid_format')
