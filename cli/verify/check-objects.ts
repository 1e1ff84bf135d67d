// Reads every object that a ledger refers to and compares it with its digest; of a tree, all its files.
import { isStoreError } from '../../activities/ports/store-error.ts';
import type { Stores } from '../../activities/ports/store.ts';
import {
  type ArtifactRef,
  artifactRefSchema,
  artifactTreeSchema,
} from '../../core/schemas/artifact.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';

export interface ObjectProblem {
  readonly entry: number;
  readonly root: 'open' | 'sealed';
  readonly sha256: string;
  readonly problem: string;
}

export interface ObjectCheck {
  readonly objects: number;
  readonly bytes: number;
  readonly problems: readonly ObjectProblem[];
}

/** A tree is small JSON; a larger object is data. */
const treeBytesMax = 1 << 20;

export async function checkObjects(
  records: readonly LedgerRecord[],
  stores: Stores,
  onObject: (checked: number) => void = () => undefined,
): Promise<ObjectCheck> {
  const seen = new Set<string>();
  const problems: ObjectProblem[] = [];
  let bytes = 0;
  for (const { entry } of records) {
    const waiting = refsIn(entry.draft);
    for (let ref = waiting.pop(); ref; ref = waiting.pop()) {
      const name = `${ref.root} ${ref.sha256}`;
      if (seen.has(name)) continue;
      seen.add(name);
      onObject(seen.size);
      try {
        const checked = await readAgain(ref, stores);
        bytes += checked.bytes;
        waiting.push(...checked.files);
      } catch (error) {
        if (!isStoreError(error)) throw error;
        const { root, sha256 } = ref;
        problems.push({ entry: entry.number, root, sha256, problem: error.message });
      }
    }
  }
  return { objects: seen.size, bytes, problems };
}

/** Every reference anywhere inside a value. */
export function refsIn(value: unknown): ArtifactRef[] {
  const parsed = artifactRefSchema.safeParse(value);
  if (parsed.success) return [parsed.data];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(refsIn);
}

async function readAgain(
  ref: ArtifactRef,
  stores: Stores,
): Promise<{ bytes: number; files: ArtifactRef[] }> {
  const store = stores[ref.root];
  if (ref.sizeBytes > treeBytesMax) {
    let bytes = 0;
    for await (const chunk of await store.openStream(ref)) {
      bytes += chunk instanceof Uint8Array ? chunk.byteLength : 0;
    }
    return { bytes, files: [] };
  }
  const content = await store.readBytes(ref, treeBytesMax);
  const files = filesOf(content).map(({ sha256, sizeBytes }) => ({
    root: ref.root,
    sha256,
    sizeBytes,
  }));
  return { bytes: content.byteLength, files };
}

function filesOf(content: Uint8Array) {
  const text = new TextDecoder().decode(content.subarray(0, 64));
  if (!text.startsWith('{') || !text.includes('"files"')) return [];
  try {
    const parsed = artifactTreeSchema.safeParse(JSON.parse(new TextDecoder().decode(content)));
    return parsed.success ? parsed.data.files : [];
  } catch {
    return [];
  }
}
