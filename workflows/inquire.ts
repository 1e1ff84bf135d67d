import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import type { Briefed } from '../activities/brief.ts';
import type { Revised } from '../activities/revise.ts';
import { inquiredDrafts, modelOf } from '../core/research/inquiry.ts';
import { workflowIds } from '../core/ids.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { type InquiryEnd, inquiryEndSchema } from '../core/schemas/inquiry.ts';
import type { ResearcherConfig } from '../core/schemas/researcher-config.ts';
import type { GenerationSteps } from './generation-steps.ts';
import { inquiryWorkflow } from './inquiry.ts';
import { parsed } from './parsed.ts';
import { generationAttributes } from './search-attributes.ts';

/**
 * Asks every specialist at once and returns what they offered, in the order of the config. What they spent is recorded,
 * even if the generation is being canceled.
 */
export async function inquire(g: GenerationSteps, revision: Revised): Promise<ArtifactRef[]> {
  const ends: InquiryEnd[] = [];
  const { researcher } = g.input.context.config;
  if (researcher !== undefined) {
    const { harness, health } = revision;
    const read = { harness, health };
    const { inquiries, spent } = await g.step('brief', { revision: read });
    g.children = inquiries.map(({ specialist }) => childId(g, specialist));
    const running = inquiries.map(async (opened) => runInquiry(g, researcher, opened, read));
    const settled = await Promise.allSettled(running);
    g.children = [];
    for (const one of settled) if (one.status === 'fulfilled') ends.push(one.value);
    const drafts = inquiredDrafts(g.input.context.generation, ends, spent);
    await CancellationScope.nonCancellable(async () => g.append(...drafts));
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
  }
  // Interventions that were injected during a pause count, so the pause comes first.
  await g.enter('propose');
  return ends.flatMap(({ offers }) => offers ?? []);
}

function childId({ scope, input }: GenerationSteps, specialist: string): string {
  const { attempt, context } = input;
  return workflowIds.inquiry(scope.campaign, context.generation, attempt, specialist);
}

async function runInquiry(
  g: GenerationSteps,
  researcher: ResearcherConfig,
  { specialist, brief, tokens, microUsd }: Briefed['inquiries'][number],
  revision: { readonly harness: ArtifactRef; readonly health: ArtifactRef },
): Promise<InquiryEnd> {
  const { attempt, context } = g.input;
  const { generation, config } = context;
  const child = await startChild(inquiryWorkflow, {
    workflowId: childId(g, specialist),
    args: [
      {
        scope: g.scope,
        context: await g.stored(),
        generation,
        attempt,
        redo: g.redoOf('ask'),
        specialist,
        model: modelOf(researcher, specialist),
        revision,
        brief,
        allotment: { tokens, microUsd },
        patienceS: researcher.patience_s,
        pause: g.instructions.current().pause,
      },
    ],
    typedSearchAttributes: generationAttributes(config, generation),
    staticSummary: `${specialist}: asks a language model what to change`,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
  return parsed(inquiryEndSchema, await child.result(), `the result of ${specialist}`);
}
