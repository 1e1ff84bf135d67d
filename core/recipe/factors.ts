// Every path of the recipe belongs to exactly one factor: the settings that a single-factor intervention may change
// together.
import { isBelow } from './recipe.ts';

/**
 * Factor by recipe path; a path covers everything under it. Two settings share a factor if changing one without the
 * other has no meaning, such as the bounds of one range or the sizes of one batch.
 */
const FACTORS = {
  '/reward/components': 'reward',
  '/reward/overlong': 'overlong',
  '/filter/trajectories': 'trajectory-filter',
  '/filter/zero_variance_groups': 'group-filter',
  '/filter/truncated': 'truncation',
  '/filter/dynamic_sampling': 'dynamic-sampling',
  '/filter/snr': 'snr-filter',
  '/filter/std_group': 'std-group-filter',
  '/filter/dual_level': 'dual-level-filter',
  '/curriculum/levels': 'curriculum',
  '/curriculum/success_band': 'curriculum',
  '/curriculum/window': 'curriculum',
  '/curriculum/train_max_samples': 'train-set',
  '/curriculum/categories': 'category-mix',
  '/rollout/prompts_per_step': 'batch',
  '/rollout/group_size': 'batch',
  '/rollout/temperature': 'temperature',
  '/rollout/max_tokens': 'token-limit',
  '/rollout/max_turns': 'turn-limit',
  '/rollout/guidance': 'guidance',
  '/optimizer/learning_rate': 'learning-rate',
  '/optimizer/weight_decay': 'weight-decay',
  '/optimizer/max_grad_norm': 'gradient-norm',
  '/optimizer/minibatches': 'minibatches',
  '/optimizer/clip_low': 'clipping',
  '/optimizer/clip_high': 'clipping',
  '/optimizer/entropy_coef': 'entropy',
  '/optimizer/kl_coef': 'kl',
  '/optimizer/advantage_estimator': 'advantage',
  '/optimizer/advantage_scale': 'advantage',
  '/optimizer/loss_aggregation': 'loss-aggregation',
  '/optimizer/replay': 'replay',
} as const;

export type Factor = (typeof FACTORS)[keyof typeof FACTORS];

const ENTRIES = Object.entries(FACTORS);

/** Paths with a factor of their own, for messages and tests. */
export const FACTOR_PATHS: readonly string[] = ENTRIES.map(([path]) => path);

export const FACTOR_NAMES: readonly string[] = [...new Set(ENTRIES.map(([, factor]) => factor))];

/**
 * Factors that a patch of `path` touches: one for a factor's path and everything under it, several for a container such
 * as `/optimizer`, none if the recipe has no such path.
 */
export function factorsOf(path: string): readonly Factor[] {
  const touched = ENTRIES.filter(([own]) => isBelow(path, own) || isBelow(own, path));
  return [...new Set(touched.map(([, factor]) => factor))];
}
