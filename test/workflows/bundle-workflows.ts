import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../workflows/${name}`, import.meta.url));

/** The workflows as a worker bundles them. */
export const bundleWorkflows = async (): Promise<WorkflowBundleWithSourceMap> =>
  bundleWorkflowCode({
    workflowsPath: pathOf('index.ts'),
    payloadConverterPath: pathOf('payload-converter.ts'),
    logger: new DefaultLogger('ERROR'),
  });
