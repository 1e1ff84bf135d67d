// The page of a campaign's health.
import { html } from '../html.ts';
import type { CampaignModels } from './campaign-models.ts';
import { linksOf } from './campaign-parts.ts';
import { guarded } from './guarded.ts';
import { healthPart } from './health.ts';
import type { Page } from './part.ts';

export function healthPage({ campaign, report, addresses, damages }: CampaignModels): Page {
  const parts = guarded(
    'health',
    () =>
      html`<h1>${campaign}</h1>
        ${
          (report && healthPart(report, linksOf(addresses))) ??
          html`<p>No generation is diagnosed yet.</p>`
        }`,
    damages.filter(({ what }) => what === 'health'),
  );
  return { title: `${campaign}: health`, nav: 'health', parts };
}
