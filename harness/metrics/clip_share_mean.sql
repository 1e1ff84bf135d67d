/*---
name: clip_share_mean
id: D13
description: Mean share of clipped tokens in the training run that produced this policy.
layer: signal
unit: share of tokens
estimate: mean
healthy: [0, 0.2]
warn: {above: 0.2}
stage: admitted
source: TRL metric clip_ratio/region_mean; own bound
---*/
SELECT avg(clip_share::DOUBLE) AS value, count(clip_share) AS n, stddev_samp(clip_share::DOUBLE) AS sd, [] AS examples
FROM optimizer_metrics
