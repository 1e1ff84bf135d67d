/**
 * What `npm run chaos` changes in the campaign of the e2e suite: a warm start that games its reward. The challenger is
 * then a changed branch, and kills meet the decision on its recipe and the replicates that it trains.
 */
export const CHANGED_CHALLENGER: readonly string[] = [
  'warmup.optimizer_steps=300',
  'warmup.mix={revise: 0.5}',
  'recipe.reward.components=[{feature: visible_pass, weight: 1}]',
  'evaluation.promotion_tasks=240',
];
