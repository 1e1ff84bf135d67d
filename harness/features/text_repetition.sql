/*---
name: text_repetition
description: Share of the output's word pairs that occurred in it before.
layer: behavior
type: number
unit: share
stage: admitted
source: THUDM/slime, repetition of n-grams
---*/
-- Fewer than eight words are too few for a loop.
CASE WHEN len(string_split(artifact, ' ')) >= 8 THEN 1 - len(list_distinct(list_transform(
    list_zip(string_split(artifact, ' ')[1:len(string_split(artifact, ' ')) - 1], string_split(artifact, ' ')[2:]),
    lambda pair: pair[1] || ' ' || pair[2])))
  / (len(string_split(artifact, ' ')) - 1) END
