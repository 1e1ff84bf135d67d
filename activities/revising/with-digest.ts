// A definition that a revision made, with the digest that every value measured by it names.
import { canonicalJson } from '../../core/canonical-json.ts';
import { type Definition, definitionSchema } from '../../core/schemas/harness.ts';
import { sha256Hex } from '../shared/digest.ts';

interface Unsealed<Kind extends Definition['kind']> {
  readonly kind: Kind;
  readonly head: object;
  readonly sql: string;
}
type Sealed<Kind extends Definition['kind']> = Extract<Definition, { kind: Kind }>;

/** With every default of its head. Throws where the head is none of its kind. */
export function sealDefinition<Kind extends Definition['kind']>(
  unsealed: Unsealed<Kind>,
): Sealed<Kind> {
  const sha256 = '0'.repeat(64);
  const { kind, head, sql } = definitionSchema.parse({ ...unsealed, sha256 });
  const sealed = definitionSchema.parse({
    ...{ kind, head, sql },
    sha256: sha256Hex(canonicalJson({ kind, head, sql })),
  });
  if (isOf(sealed, unsealed.kind)) return sealed;
  throw new RangeError(`a ${unsealed.kind} became a ${sealed.kind}`);
}

const isOf = <Kind extends Definition['kind']>(
  definition: Definition,
  kind: Kind,
): definition is Sealed<Kind> => definition.kind === kind;
