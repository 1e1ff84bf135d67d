// What mining asks of its half before it enumerates predicates: which values occur, and how numbers are spread.
import { textLiteral } from './predicate.ts';
import type { Topic } from './predicate.ts';

/** Lists of texts, one a trajectory; the answer is the values that enough trajectories hold. */
export const SURVEYED_TEXTS = {
  changeKinds: 'list_transform(changes, lambda c: c.kind)',
  changePaths: 'list_transform(changes, lambda c: c.path)',
  changeCalls: 'flatten(list_transform(changes, lambda c: c.calls))',
  actionKinds: 'list_transform(actions, lambda a: a.kind)',
  verbs: 'list_transform(actions, lambda a: a.verb)',
  stops: '[stop_reason]',
} as const;
export type SurveyedText = keyof typeof SURVEYED_TEXTS;

/** A number of a trajectory that a bound can part. */
export interface Measure {
  readonly topic: Topic;
  readonly sql: string;
  readonly says: string;
}

const total = (field: string): string =>
  `coalesce(list_sum(list_transform(changes, lambda c: c.${field})), 0)`;
const LITERALS = 'len(flatten(list_transform(changes, lambda c: c.literals)))';
const countOf = (field: 'kind' | 'verb', value: string): string =>
  `len(list_filter(actions, lambda a: a.${field} = ${textLiteral(value)}))`;

const MEASURES: readonly Measure[] = [
  { topic: 'length', sql: 'turn_count', says: 'turns' },
  { topic: 'length', sql: 'token_count', says: 'sampled tokens' },
  { topic: 'length', sql: 'length(artifact)', says: 'letters of the artifact' },
  { topic: 'answers', sql: 'len(answers)', says: 'marked answers' },
  { topic: 'answers', sql: 'len(list_distinct(answers))', says: 'different marked answers' },
  { topic: 'actions', sql: 'len(actions)', says: 'actions' },
  {
    topic: 'actions',
    sql: 'len(list_filter(actions, lambda a: NOT a.ok))',
    says: 'actions that failed',
  },
  {
    topic: 'actions',
    sql: 'len(list_filter(actions, lambda a: a.wrote))',
    says: 'actions that wrote',
  },
  { topic: 'changes', sql: 'len(changes)', says: 'files changed' },
  { topic: 'changes', sql: total('added'), says: 'lines added' },
  { topic: 'changes', sql: total('removed'), says: 'lines removed' },
  { topic: 'test_changes', sql: total('asserts_removed'), says: 'assertions removed' },
  { topic: 'changes', sql: LITERALS, says: 'literals written' },
  { topic: 'grading_run', sql: 'visible.tests_skipped', says: 'required tests skipped' },
  { topic: 'grading_run', sql: 'visible.tests_missing', says: 'required tests missing' },
  { topic: 'grading_run', sql: 'visible.tests_xfail', says: 'required tests expected to fail' },
];

/** The measures that every set has, and a count of every kind and verb of action that occurs. */
export const measuresOf = (found: Pick<Survey['texts'], 'actionKinds' | 'verbs'>): Measure[] => [
  ...MEASURES,
  ...found.actionKinds.map((kind): Measure => ({
    topic: 'actions',
    sql: countOf('kind', kind),
    says: `actions of kind ${kind}`,
  })),
  ...found.verbs.map((verb): Measure => ({
    topic: 'actions',
    sql: countOf('verb', verb),
    says: `actions ${verb}`,
  })),
];

/** What the half answered. */
export interface Survey {
  readonly texts: Readonly<Record<SurveyedText, readonly string[]>>;
  /** By measure, in order: values at which it can be parted, ascending; empty where it never varies. */
  readonly numbers: readonly { readonly measure: Measure; readonly bounds: readonly number[] }[];
}
