import type { GenerationContext } from '../../core/schemas/generation-context.ts';
import type {
  ModelPrice,
  ResearcherConfig,
  Specialist,
} from '../../core/schemas/researcher-config.ts';

/** A specialist with what it takes from the researcher. */
export interface StaffedSpecialist extends Specialist {
  readonly model: string;
  readonly price: ModelPrice | undefined;
}

/** Those that ask a model, in the order of the config. Names were replaced by their files before the start. */
export const specialistsOf = ({
  specialists,
  model,
  price,
}: ResearcherConfig): StaffedSpecialist[] =>
  specialists.flatMap((one) =>
    typeof one === 'string'
      ? []
      : [{ ...one, model: one.model ?? model, price: one.price ?? price }],
  );

/** Throws RangeError if the config has no such specialist. */
export function specialistOf(context: GenerationContext, name: string) {
  const { researcher } = context.config;
  const specialist = researcher && specialistsOf(researcher).find((one) => one.name === name);
  if (!researcher || !specialist) throw new RangeError(`the config has no specialist ${name}`);
  return { researcher, specialist };
}
