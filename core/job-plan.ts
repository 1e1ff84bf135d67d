// A job as the workflow hands it to the submit activity: references and settings, no step key yet.
import type { ArtifactRef } from './schemas/artifact.ts';
import type { JsonPatch } from './schemas/intervention.ts';
import type { JobKind } from './job-kind.ts';
import type { Job } from './schemas/job.ts';

type SpecOf<Kind extends JobKind> = Extract<Job, { kind: Kind }>['spec'];
type WithoutRecipe<Spec> = Spec extends unknown ? Omit<Spec, 'recipe'> : never;

/** A job's work, without the step, redo and attempt under which it runs. */
export interface JobPlan {
  readonly kind: JobKind;
  readonly seeds: Job['seeds'];
  readonly recipe: { readonly ref: ArtifactRef; readonly patch: JsonPatch | null } | null;
  readonly inputs: Readonly<Record<string, { readonly ref: ArtifactRef; readonly tree: boolean }>>;
  readonly spec: WithoutRecipe<SpecOf<JobKind>>;
  /** Shown in the UI next to the activity. */
  readonly summary: string;
}

/** A job of one step and attempt. */
export interface StepJob {
  /** The activity id: the name of the step, or of the part of it. */
  readonly step: string;
  readonly redo: number;
  /** Claims of an older attempt do not count against a new one; never part of the key. */
  readonly attempt: number;
  readonly plan: JobPlan;
}
