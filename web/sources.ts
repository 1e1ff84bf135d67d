// How a number's source is shown: a short digest that leads to the object or the ledger entry behind it.
import type { ObjectName, Source } from './report-model.ts';

/** Where things lie, told by whoever reads the stores; null = no address that a browser opens. */
export interface Addresses {
  object(name: ObjectName): string | null;
  entry(number: number): string | null;
}

export const shortDigest = (sha256: string): string => sha256.slice(0, 8);

export interface Link {
  readonly label: string;
  readonly href: string | null;
  readonly title: string;
}

/** The object where there is one, else the ledger entry that says it. */
export function linkOf({ entry, object }: Source, addresses: Addresses): Link {
  const said = `ledger entry ${entry}`;
  return object === null
    ? { label: `#${entry}`, href: addresses.entry(entry), title: said }
    : {
        label: shortDigest(object.sha256),
        href: addresses.object(object),
        title: `${object.root} ${object.sha256}, ${said}`,
      };
}
