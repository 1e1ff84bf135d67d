// Builds the models that a campaign's config names. Keys stay in the worker's environment.
import type { Model } from '../activities/ports/model.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import { ProviderModel } from '../infra/models/provider-model.ts';
import { workerVariables } from './config.ts';

export function composeModel(providers: CampaignConfig['providers']): Model {
  const variables = workerVariables();
  const keyOf = (name: string | null): string | null =>
    name === null ? null : variables[name]?.trim() || null;
  return new ProviderModel(
    new Map(
      Object.entries(providers).map(([name, config]) => [
        name,
        { config, key: keyOf(config.key_env) },
      ]),
    ),
  );
}
