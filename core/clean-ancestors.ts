// The clean policies of the lineage before the incumbent, and where the archive measured them. A withdrawn policy is no
// ancestor: the lineage does not contain it.
import { CHALLENGER, INCUMBENT } from './gate/rows.ts';
import { type Ancestor, type CampaignFold, trainedBranch } from './ledger-fold.ts';
import type { ArtifactRef } from './schemas/artifact.ts';
import type { Candidate } from './schemas/ledger-entry.ts';

/** Results of one evaluation, and the name that the policy has in them. */
export interface Measured {
  readonly results: readonly ArtifactRef[];
  readonly policy: string;
}

export interface AncestorRecords {
  readonly name: string;
  /** Its SELECT and CANARY sets. */
  readonly screened: readonly Measured[];
  /** Its PROMOTION and category sets. */
  readonly tested: readonly Measured[];
  readonly diag: readonly ArtifactRef[];
}

/** The first measurements decide, so that a policy's rates change no more while it is an old ancestor. */
const MEASUREMENTS_MAX = 4;

/** The ancestors as `generation` began, oldest first; the incumbent is none of them. */
export function cleanAncestors(fold: CampaignFold, generation: number): AncestorRecords[] {
  const { calibrated, lineage } = fold;
  const ancestors = lineage.slice(0, -1);
  if (calibrated === null || ancestors.length === 0) return [];
  const known = new Map<
    string,
    { screened: Measured[]; tested: Measured[]; diag: ArtifactRef[] }
  >();
  const of = (candidate: Candidate) => {
    const records = known.get(keyOf(candidate)) ?? { screened: [], tested: [], diag: [] };
    known.set(keyOf(candidate), records);
    return records;
  };
  const { select, canary } = calibrated.warmStartResults;
  of(calibrated.warmStart).screened.push({ results: [select, canary], policy: INCUMBENT });
  let holder = calibrated.warmStart;
  for (const recorded of fold.generations) {
    if (recorded.generation >= generation) break;
    const {
      diagnosed,
      screened,
      'gate-verdict': test,
      'branches-decided': decided,
    } = recorded.newest;
    const promoted = decided?.body.branches.find(({ decision }) => decision === 'promote')?.branch;
    const next = decided?.body.incumbent ?? holder;
    if (diagnosed) of(holder).diag.push(diagnosed.body.rollouts.diag);
    if (screened) {
      const { results } = screened.body;
      of(holder).screened.push({ results, policy: INCUMBENT });
      if (promoted !== undefined) of(next).screened.push({ results, policy: promoted });
    }
    if (test && test.body.results.length > 0 && test.body.verdict !== 'no-decision') {
      const { results } = test.body;
      of(holder).tested.push({ results, policy: INCUMBENT });
      if (promoted !== undefined) of(next).tested.push({ results, policy: CHALLENGER });
    }
    const diag =
      promoted === undefined ? null : trainedBranch(recorded, promoted)?.artifacts['diag'];
    if (diag) of(next).diag.push(diag);
    holder = next;
  }
  return ancestors.map((ancestor) => {
    const { screened, tested, diag } = of(ancestor.candidate);
    return {
      name: nameOf(ancestor),
      screened: screened.slice(0, MEASUREMENTS_MAX),
      tested: tested.slice(0, MEASUREMENTS_MAX),
      diag: diag.slice(0, MEASUREMENTS_MAX),
    };
  });
}

const nameOf = ({ branch, generation }: Ancestor): string =>
  branch === null ? 'the warm start' : `${branch} of generation ${generation}`;

const keyOf = ({ policy, recipe }: Candidate): string => `${policy.sha256} ${recipe.sha256}`;
