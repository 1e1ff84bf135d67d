// Typed addresses of what the store holds. Produced by executors and activities, consumed by every later step.
import { z } from 'zod';

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, 'a sha256 in lower-case hex');

/** A content-addressed object. `root` says which of the campaign's two roots holds it. */
export const artifactRefSchema = z.strictObject({
  root: z.enum(['open', 'sealed']),
  sha256: sha256Schema,
  sizeBytes: z.int().min(0),
});
export type ArtifactRef = z.infer<typeof artifactRefSchema>;

/** A directory as an object of its own: what a checkpoint's ref points to. Paths are relative, sorted, and use `/`. */
export const artifactTreeSchema = z.strictObject({
  version: z.literal(1),
  files: z.array(
    z.strictObject({
      path: z.string().min(1),
      sha256: sha256Schema,
      sizeBytes: z.int().min(0),
    }),
  ),
});
export type ArtifactTree = z.infer<typeof artifactTreeSchema>;

/** A finished step: it lies at `steps/<key>.json` and its existence is what "finished" means. */
export const stepManifestSchema = z.strictObject({
  version: z.literal(1),
  key: sha256Schema,
  step: z.string().min(1),
  outputs: z.record(z.string(), artifactRefSchema),
  summary: z.record(z.string(), z.json()),
});
export type StepManifest = z.infer<typeof stepManifestSchema>;
