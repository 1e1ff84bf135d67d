/*---
name: cut_format_failure_share
description: Share of the format failures in which a limit cut the output off.
layer: behavior
unit: share of format failures
estimate: point
healthy: [null, null]
stage: admitted
source: EvoTrainer (arXiv:2606.03108), appendix B.3, where all strict format failures ended at the cap
domains: [math, code, own]
---*/
SELECT avg(truncated::INTEGER) AS value, count(*) AS n, NULL AS sd, min(trajectory_id, 5) FILTER (truncated) AS examples
FROM t
WHERE format_failure
