// Checks what a specialist submitted, as a stranger's: each fault names its place and its cure.
import { issueText, pathText } from '../../core/schemas/issue-text.ts';
import { metricsOf } from '../../core/harness/definition.ts';
import type { Harness } from '../../core/schemas/harness.ts';
import type { Intervention } from '../../core/schemas/intervention.ts';
import { type OfferedChange, submissionSchema } from '../../core/schemas/offer.ts';
import type { Recipe } from '../../core/schemas/recipe.ts';
import type { Specialist } from '../../core/schemas/researcher-config.ts';
import { textFault } from '../../core/research/own-feature.ts';
import type { OfferedFeature } from '../../core/schemas/offered-feature.ts';
import { withOwnFeatures } from '../offering/own-harness.ts';
import { checkPatch } from '../shared/check-patch.ts';
import { DEPTH_MAX, parsedJson } from './parsed-json.ts';

export interface Submission {
  readonly interventions: readonly Intervention[];
  readonly faults: readonly string[];
}

export interface SubmissionContext {
  readonly generation: number;
  readonly specialist: Pick<Specialist, 'name' | 'surfaces'>;
  readonly recipe: Recipe;
  readonly harness: Harness;
  /** Digest of the health report that the brief showed. */
  readonly healthSha256: string;
  /** Digests of the designs that people sent feedback for. */
  readonly feedback: readonly string[];
}

const FAULTS_MAX = 8;
/** Of a name or a text that a model wrote, in an answer. */
const QUOTED_MAX = 60;

/** `text` is JSON as the model wrote it. */
export function judgeSubmission(text: string, context: SubmissionContext): Submission {
  const value = parsedJson(text);
  if (value === undefined) {
    const fault = `the arguments are not JSON of at most ${DEPTH_MAX} levels: send one object`;
    return { interventions: [], faults: [fault] };
  }
  const parsed = submissionSchema.safeParse(value);
  if (!parsed.success) {
    const faults = parsed.error.issues
      .slice(0, FAULTS_MAX)
      .map((issue) => `${pathText(issue.path)}: ${issueText(issue, value)}`);
    return { interventions: [], faults };
  }
  const interventions: Intervention[] = [];
  const faults: string[] = [];
  for (const [index, offered] of parsed.data.interventions.entries()) {
    const judged = judgeChange(offered, context, interventions);
    if (typeof judged === 'string') faults.push(`interventions[${index}]: ${judged}`);
    else interventions.push(judged);
  }
  return { interventions, faults };
}

/** The intervention, or what is wrong with it. */
function judgeChange(
  { name, patch, hypothesis, predicted, features }: OfferedChange,
  { generation, specialist, recipe, harness, healthSha256, feedback }: SubmissionContext,
  before: readonly Intervention[],
): Intervention | string {
  const id = `g${generation}-${specialist.name}-${name}`;
  const fault = faultOfFeatures(features, harness);
  if (fault !== null) return fault;
  const checked = checkPatch(patch, recipe, withOwnFeatures(harness, [{ id, features }]));
  if (!checked.ok) return checked.reason;
  const { factor, rollback } = checked;
  if (!specialist.surfaces.includes(factor)) {
    return `${factor} is not yours; yours are ${specialist.surfaces.join(', ')}`;
  }
  const metrics = metricsOf(harness).map(({ head }) => head.name);
  const unknown = predicted.find(({ metric }) => !metrics.includes(metric));
  if (unknown !== undefined)
    return `there is no metric ${unknown.metric.slice(0, QUOTED_MAX)}; use one of the brief's`;
  const operator = `${specialist.name}/${name}`;
  if (before.some((one) => one.operator === operator)) return `the name ${name} is taken`;
  return {
    id,
    operator,
    factor,
    patch,
    hypothesis,
    predicted,
    successCriterion: null,
    rollback,
    evidence: [healthSha256, ...feedback],
    skill: null,
    proposer: 'llm',
    ...(features.length === 0 ? {} : { features }),
  };
}

/** What is wrong with their texts; the archive is asked before the change is proposed. */
function faultOfFeatures(features: readonly OfferedFeature[], harness: Harness): string | null {
  for (const [index, feature] of features.entries()) {
    const isTwice = features.slice(0, index).some(({ name }) => name === feature.name);
    const why = isTwice ? 'the name is taken' : textFault(feature, harness);
    if (why !== null) return `features[${index}]: ${why}`;
  }
  return null;
}
