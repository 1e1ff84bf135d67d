// A manifest as it is stored: canonical JSON with the digest of its key and content, so that a reader finds every
// changed byte, and a manifest that was copied to another key.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonical-json.ts';

/** Throws TypeError for content that has a field `digest` of its own. */
export function manifestText(key: string, content: object): string {
  if ('digest' in content) throw new TypeError(`a manifest cannot have a field "digest" [${key}]`);
  const digest = createHash('sha256')
    .update(`${key}\n${canonicalJson(content)}`)
    .digest('hex');
  return canonicalJson({ ...content, digest });
}

/** The content without its digest; null if a byte differs from what was stored under this key. */
export function manifestContent(key: string, bytes: Uint8Array): object | null {
  const parsed = parseObject(Buffer.from(bytes).toString());
  if (parsed === null) return null;
  const { digest: _, ...content } = parsed;
  return Buffer.from(manifestText(key, content)).equals(bytes) ? content : null;
}

function parseObject(text: string): { readonly digest?: unknown } | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && !Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
