// A step is finished when the manifest under its key exists: that one rule makes every activity repeat-safe.
import { canonicalJson } from '../../core/canonical-json.ts';
import { storeKeys } from '../../core/ids.ts';
import type { ArtifactRef, StepManifest } from '../../core/schemas/artifact.ts';
import { stepManifestSchema } from '../../core/schemas/artifact.ts';
import { sha256Hex } from './digest.ts';
import type { Store } from '../ports/store.ts';

/** What decides a step's result, and therefore its key. */
export interface StepRequest {
  readonly step: string;
  /** Plain JSON: settings of the step that are no input objects. */
  readonly spec: unknown;
  readonly inputs: Readonly<Record<string, ArtifactRef>>;
  readonly trainerDigest: string;
  readonly redo: number;
}

export type StepProduct = Pick<StepManifest, 'outputs' | 'summary'>;

/** sha256(step, spec, digests of its inputs, trainer digest, redo). */
export function stepKey({ step, spec, inputs, trainerDigest, redo }: StepRequest): string {
  const digests = Object.fromEntries(
    Object.entries(inputs).map(([name, { sha256 }]) => [name, sha256]),
  );
  return sha256Hex(canonicalJson({ step, spec, inputs: digests, trainerDigest, redo }));
}

/**
 * Returns the manifest of a finished step, else computes its product and commits it.
 *
 * **Contract:** idempotent by step key; `compute` stores its outputs before it returns and runs at most once a call.
 * Of two racing writers the first wins and both return its manifest. Whatever `compute` throws leaves no manifest.
 */
export async function finishStep(
  store: Store,
  request: StepRequest,
  compute: () => Promise<StepProduct>,
): Promise<StepManifest> {
  const key = stepKey(request);
  const path = storeKeys.step(key);
  const finished = await store.readManifest(path);
  if (finished !== null) return stepManifestSchema.parse(finished);
  const { outputs, summary } = await compute();
  const manifest: StepManifest = { version: 1, key, step: request.step, outputs, summary };
  const created = await store.createManifest(path, manifest);
  return created.status === 'created' ? manifest : stepManifestSchema.parse(created.content);
}
