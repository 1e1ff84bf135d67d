// Objects that every turn of an inquiry reads: links of its transcript, and what lies on its desk. They never change, so
// they are read and parsed once in a process, and kept within a limit.
import type { ArtifactRef } from '../../core/schemas/artifact.ts';
import type { Store } from '../ports/store.ts';
import { readJson } from '../shared/store-json.ts';

/** Of stored bytes; parsed, they take about three times as much. */
const BYTES_MAX = 16 * 1024 * 1024;

interface Schema<Value> {
  parse(value: unknown): Value;
}

interface Known {
  readonly schema: unknown;
  readonly value: unknown;
  readonly sizeBytes: number;
}

/** By store; the least recently read come first. */
const known = new WeakMap<Store, Map<string, Known>>();

/** As readJson. Whoever gets the value must not change it. */
export async function readKnown<Value>(
  store: Store,
  ref: ArtifactRef,
  schema: Schema<Value>,
): Promise<Value> {
  const objects = known.get(store) ?? new Map<string, Known>();
  known.set(store, objects);
  const found = objects.get(ref.sha256);
  // The schema that parsed it says what it is.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const value =
    found?.schema === schema ? (found.value as Value) : await readJson(store, ref, schema);
  objects.delete(ref.sha256);
  objects.set(ref.sha256, { schema, value, sizeBytes: ref.sizeBytes });
  forget(objects);
  return value;
}

function forget(objects: Map<string, Known>): void {
  let bytes = objects.values().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const [sha256, { sizeBytes }] of objects) {
    if (bytes <= BYTES_MAX) return;
    objects.delete(sha256);
    bytes -= sizeBytes;
  }
}
