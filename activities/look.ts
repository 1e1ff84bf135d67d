// Answers the tool calls of one reply. Pure functions of stored objects, so that `evo verify` can answer them again.
import type { z } from 'zod';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { harnessSchema } from '../core/schemas/harness.ts';
import type { GenerationContext } from '../core/schemas/generation-context.ts';
import { lookedSchema } from '../core/schemas/inquiry.ts';
import { recipeSchema } from '../core/schemas/recipe.ts';
import { answerCalls, type LookContext } from './inquiring/answer-calls.ts';
import { specialistOf } from './inquiring/specialist-of.ts';
import { readTranscript, storeLink } from './inquiring/transcript.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import type { Revised } from './revise.ts';
import { finishStep } from './shared/finish-step.ts';
import { openStep, type StepRequest } from './shared/step-request.ts';
import { readJson, storeJson } from './shared/store-json.ts';

export interface LookRequest extends StepRequest {
  readonly specialist: string;
  readonly revision: Pick<Revised, 'harness' | 'health'>;
  /** The link with the reply. */
  readonly head: ArtifactRef;
}

export interface Looked extends z.infer<typeof lookedSchema> {
  readonly head: ArtifactRef;
  readonly offers: ArtifactRef | null;
}

/** Idempotent by step key. */
export const makeLook =
  (portsOf: PortsOf) =>
  async (request: LookRequest): Promise<Looked> => {
    const { ports, context } = await openStep(portsOf, request);
    const { open } = ports.stores;
    const { specialist: name, revision, head, redo } = request;
    const { specialist } = specialistOf(context, name);
    const { outputs, summary } = await finishStep(
      open,
      {
        step: 'look',
        spec: { generation: context.generation, specialist },
        inputs: { head, ...revision, recipe: context.incumbent.recipe },
        trainerDigest: context.epoch.trainerDigest,
        redo,
      },
      { outputs: ['head'], summary: lookedSchema },
      async () => {
        const links = await readTranscript(open, head);
        const looked = answerCalls(links, await lookContext(ports, context, request));
        const { closed, answers, offers } = looked;
        const next = await storeLink(open, head, answers);
        return {
          outputs: {
            head: next,
            ...(offers.length === 0 ? {} : { offers: await storeJson(open, offers) }),
          },
          summary: { closed, offered: offers.map(({ operator }) => operator) },
        };
      },
    );
    return { ...summary, head: outputs.head, offers: outputs['offers'] ?? null };
  };

async function lookContext(
  { stores: { open } }: CampaignPorts,
  context: GenerationContext,
  { revision, specialist }: LookRequest,
): Promise<LookContext> {
  return {
    generation: context.generation,
    specialist: specialistOf(context, specialist).specialist,
    recipe: await readJson(open, context.incumbent.recipe, recipeSchema),
    harness: await readJson(open, revision.harness, harnessSchema),
    healthSha256: revision.health.sha256,
  };
}
