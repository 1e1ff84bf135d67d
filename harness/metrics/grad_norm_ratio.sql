/*---
name: grad_norm_ratio
id: D14
description: Largest gradient norm of the run that made this policy over its median.
layer: signal
unit: ratio
estimate: point
healthy: [1, 10]
critical: {above: 10}
status: admitted
source: RAGEN (arXiv:2504.20073), where spikes of the gradient norm mark collapse; own bound
---*/
SELECT max(grad_norm::DOUBLE) / nullif(median(grad_norm::DOUBLE), 0) AS value, count(grad_norm) AS n, NULL AS sd, [] AS examples
FROM steps
