/*---
name: lost_category
description: The incumbent was promoted although a category of tasks was lost.
layer: score
level: critical
about: [true_mean]
reads: "What the last promotion cost is what is missing now: {lost}."
status: admitted
source: docs/gate.md, Categories
---*/
-- No metric: how many categories the incumbent lost on the way here and has not won back.
now.lost_categories > 0
