/*---
name: length_gaming
description: Longer outputs are paid more.
layer: behaviour
level: warn
about: [length_reward_correlation, completion_tokens, length_growth]
reads: Length itself is paid, or grows without gain.
status: admitted
source: papers 1.9, math extension
---*/
now.length_reward_correlation > 0.3 AND now.length_growth > 1.5
