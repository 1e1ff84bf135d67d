// Stores what is fixed while a generation's steps run; every step gets one reference to it.
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { GenerationContext } from '../core/schemas/generation-context.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import { storeJson } from './shared/store-json.ts';
import type { CampaignScope } from '../core/schemas/workflow-input.ts';

/** Idempotent: equal contexts make equal objects. */
export const makeOpenGeneration =
  (portsOf: PortsOf) =>
  async (request: {
    readonly scope: CampaignScope;
    readonly context: GenerationContext;
  }): Promise<ArtifactRef> =>
    storeJson(portsOf(request.scope).stores.open, request.context);
