// Asks AWS Batch whether it could run the jobs of a campaign.
import { ExecutorError } from '../../../activities/ports/executor-error.ts';
import type { BatchApi } from './batch-api.ts';
import { findDefinitionFaults, findQueueFaults, vcpusOf } from './batch-faults.ts';
import type { BatchFault, BatchNeeds } from './batch-faults.ts';

export interface BatchPlace extends BatchNeeds {
  readonly jobQueue: string;
  readonly jobDefinition: string;
  readonly evaluateJobDefinition: string;
}

/** Empty where nothing speaks against it. Throws ExecutorError where Batch cannot be asked. */
export async function findBatchFaults(api: BatchApi, place: BatchPlace): Promise<BatchFault[]> {
  const { jobQueue, jobDefinition, evaluateJobDefinition } = place;
  const [queue, definition, evaluate] = await Promise.all([
    api.queue(jobQueue),
    api.definition(jobDefinition),
    api.definition(evaluateJobDefinition),
  ]);
  const order = queue?.computeEnvironmentOrder ?? [];
  const names = order.flatMap(({ computeEnvironment }) => computeEnvironment ?? []);
  const environments = await api.environments(names);
  const vcpus = place.vcpus ?? vcpusOf(definition);
  return [
    ...findQueueFaults(jobQueue, queue, environments, { ...place, vcpus }),
    ...findDefinitionFaults(jobDefinition, definition, false),
    ...findDefinitionFaults(evaluateJobDefinition, evaluate, true),
  ];
}

/** The same before a launch, where a worker that may submit and not describe shall not stand still. */
export async function checkBatch(api: BatchApi, place: BatchPlace): Promise<BatchFault[]> {
  try {
    return await findBatchFaults(api, place);
  } catch (error) {
    if (error instanceof ExecutorError && error.kind === 'failed') return [];
    throw error;
  }
}
