/*---
name: is_truncated
description: A token or turn limit ended the episode.
layer: behavior
type: boolean
unit: yes or no
stage: admitted
source: Gymnasium tells terminated from truncated; TRL metric completions/clipped_ratio
---*/
truncated
