// Recomputes the decision on a recipe from the archived rows, the guards on its replicates included.
import { readAdoptions } from '../../activities/shared/adoptions.ts';
import { screenReplicates } from '../../activities/shared/screen-replicates.ts';
import { readSealedRows } from '../../activities/shared/sealed-rows.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import { cleanAncestors } from '../../core/clean-ancestors.ts';
import type { RecipeVerdict } from '../../core/generation.ts';
import { judgeRecipe } from '../../core/gate/recipe.ts';
import { CONTROL } from '../../core/ids.ts';
import type { EntryOf } from '../../core/ledger.ts';
import { recordedOf, trainedBranch } from '../../core/ledger-fold.ts';
import { findMismatch, type Mismatch } from '../../core/mismatch.ts';
import { recipePlan } from '../../core/plan-recipe.ts';
import { pairsOf, selectEffect, withReplicates } from '../../core/replicates.ts';
import type { RegisteredAdoption } from '../../core/schemas/adoption.ts';
import { earlierName } from '../../core/gate/register.ts';
import { verifyUsedRecipe } from '../../core/verify-recipe.ts';
import { configIn } from '../../core/verify-epoch.ts';
import { broken, type Context } from './recompute-context.ts';

export interface RecomputedRecipe {
  readonly test: number;
  readonly mismatches: readonly Mismatch[];
  /** Null if it cannot be decided again. */
  readonly recipe: RecipeVerdict | null;
}

export async function recomputeRecipe(
  entry: EntryOf<'recipe-decided'>,
  campaign: string,
  context: Context,
): Promise<RecomputedRecipe> {
  const { number, body } = entry;
  const { calibrated, reservations } = context.before;
  const register =
    calibrated && (await readAdoptions(context.ports.stores.sealed, calibrated.family));
  const look = body.replicates.length === 0 ? 0 : 1;
  const record = register?.find((one) => one.test === body.test && one.look === look);
  if (!register || record === undefined)
    return unknown(number, body.test, 'the register of the sealed root does not have it');
  const reserved = reservations.findLast(({ test }) => test === body.test);
  const isOwn = record.campaign === campaign && reserved?.reservedBy !== earlierName(campaign);
  return isOwn ? decideAgain(entry, record, register, context) : used(entry, record);
}

async function decideAgain(
  { number, generation, body }: EntryOf<'recipe-decided'>,
  record: RegisteredAdoption,
  register: readonly RegisteredAdoption[],
  { before, configs, ports }: Context,
): Promise<RecomputedRecipe> {
  const { calibrated, incumbent } = before;
  const recorded = recordedOf(before, generation);
  const { screened, diagnosed, 'harness-revised': revised } = recorded.newest;
  const challenger = trainedBranch(recorded, body.branch)?.candidate;
  const control = trainedBranch(recorded, CONTROL)?.candidate;
  const harness = revised?.body.harness ?? before.harness;
  if (!calibrated || !screened || !diagnosed || !challenger || !control || !harness)
    return unknown(number, body.test, 'its branches were not trained and screened');
  const config = configIn(configs, before);
  const selectRows = withReplicates(
    await readSealedRows(ports.sealedAnalytics, screened.body.results),
    await readSealedRows(ports.sealedAnalytics, body.screened),
  );
  const replicates = await screenReplicates(ports, {
    config,
    epoch: calibrated.epoch,
    incumbent,
    ancestors: cleanAncestors(before, generation),
    replicates: body.replicates,
    rows: selectRows,
    harness,
    incumbentDiag: diagnosed.body.rollouts.diag,
  });
  const rows = await readSealedRows(ports.sealedAnalytics, body.results);
  const { verdict, why, fresh } = judgeRecipe({
    test: body.test,
    plan: recipePlan(config),
    seeds: pairsOf({
      challenger: { branch: body.branch, candidate: challenger },
      control: { branch: CONTROL, candidate: control },
      screened: screened.body.branches,
      replicates,
      rows,
      epoch: calibrated.epoch,
    }),
    rows,
    branches: screened.body.branches.filter(({ guard }) => guard !== 'failed-job').length,
    mayTrainMore: record.look === 0 && config.replicates.max > 1,
    family: record.familySpreads,
    before: record.before,
  });
  const mismatches = [
    ...findMismatch(number, 'adopted', body.adopted, verdict === 'adopt'),
    ...findMismatch(number, 'why', body.why, why),
    ...findMismatch(number, 'seeds', body.seeds, fresh?.seeds ?? 0),
    ...findMismatch(number, 'replicates', body.replicates, replicates),
    ...findMismatch(number, 'from other tests', inventedIn(record, register), []),
  ];
  const effect = fresh && selectEffect(selectRows, [CONTROL, body.branch], replicates);
  return { test: body.test, mismatches, recipe: { ...body, effect } };
}

const used = (entry: EntryOf<'recipe-decided'>, record: RegisteredAdoption): RecomputedRecipe => {
  const { branch, adopted, why, test } = entry.body;
  const recipe = { branch, adopted, why, effect: record.effect };
  return { test, mismatches: verifyUsedRecipe(entry, record), recipe };
};

const unknown = (entry: number, test: number, why: string): RecomputedRecipe => ({
  test,
  mismatches: [broken(entry, why)],
  recipe: null,
});

/** What the decision used and no other decision of the register has. */
function inventedIn(record: RegisteredAdoption, register: readonly RegisteredAdoption[]) {
  const others = register.filter((one) => one.test !== record.test);
  const known = new Set(
    others.flatMap(({ spread, fresh }) => [canonicalJson(spread), canonicalJson(fresh)]),
  );
  return [...record.familySpreads, ...record.before].filter(
    (one) => !known.has(canonicalJson(one)),
  );
}
