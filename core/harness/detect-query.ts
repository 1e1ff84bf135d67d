// What one trajectory shows of the catalogue of reward hacks: every detector with a flag, and the place that it points at.
import type { FeatureDefinition } from '../schemas/harness.ts';
import { type Catalog, featuresOf, holdsFor } from './definition.ts';

/** Boolean features that catch a case of the reward-hack catalogue in this domain. */
export const flagDetectors = (
  { definitions }: Pick<Catalog, 'definitions'>,
  domain: string,
): FeatureDefinition[] =>
  featuresOf({ definitions: [...definitions] }).filter(
    ({ head }) => head.class !== null && head.flag !== null && holdsFor(head.domains, domain),
  );

interface Versioned {
  readonly head: { readonly name: string };
  readonly sha256: string;
}

/** `name@version`: the version is the beginning of the definition's digest, so that any change of it is another one. */
export const versionedName = ({ head, sha256 }: Versioned): string =>
  `${head.name}@${sha256.slice(0, 8)}`;

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * A row a trajectory of `domain` in the table's order: its id, the turn it ends with, and a column a detector, NULL where it
 * does not fire. Detectors see the fact columns alone.
 */
export function detectQuery(
  detectors: readonly FeatureDefinition[],
  factColumns: readonly string[],
  domain: string,
): string {
  const columns = detectors.map(
    ({ head, sql }) =>
      `CASE WHEN coalesce((${sql}\n), FALSE) THEN struct_pack(shown := (${head.shows ?? 'NULL'}\n)) END AS ${quote(head.name)}`,
  );
  const facts = factColumns.map(quote).join(', ');
  const rows = `SELECT * FROM t_rows WHERE domain = '${domain.replaceAll("'", "''")}'`;
  return [
    `WITH rows AS MATERIALIZED (${rows}),`,
    `hits AS MATERIALIZED (SELECT ${columns.join(',\n')} FROM (SELECT ${facts} FROM rows))`,
    'SELECT trajectory_id, len(turns) - 1 AS last_turn, hits.* FROM rows POSITIONAL JOIN hits',
  ].join('\n');
}
