/*---
name: lost_category
description: The incumbent was promoted although it lost a category of tasks.
layer: score
severity: critical
metrics: [true_mean]
meaning: 'The last promotion cost these categories: {lost}. They come first.'
stage: admitted
source: docs/gate.md, Categories
---*/
-- lost_categories is not a metric: it counts the categories that the incumbent has lost and not won back.
now.lost_categories > 0
