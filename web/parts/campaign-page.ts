// The page of a campaign, top to bottom.
import type { Damage } from '../../core/damage.ts';
import { html, type Markup } from '../html.ts';
import type { CampaignModels } from './campaign-models.ts';
import type { Page, Part } from './part.ts';
import { guarded } from './guarded.ts';

/** A part that has nothing to show yet is null. */
type MakePart = (models: CampaignModels) => Markup | null;

/** By id, in the order of the page. */
const PARTS: Readonly<Record<string, MakePart>> = {
  state: stateOf,
};

/** What of the archive a part is made from, besides the ledger; what of that is damaged is told in the part. */
const RESTS_ON: Readonly<Record<string, readonly Damage['what'][]>> = {
  branches: ['curves'],
  bottleneck: ['health'],
  health: ['health'],
  backtests: ['backtests'],
};

export function campaignPage(models: CampaignModels): Page {
  const parts = Object.entries(PARTS).flatMap(([id, make]): Part[] => {
    const restsOn = RESTS_ON[id] ?? [];
    const damages = models.damages.filter(({ what }) => restsOn.includes(what));
    return guarded(id, () => make(models), damages);
  });
  return { title: models.campaign, nav: 'campaign', parts };
}

function stateOf({ campaign, report, snapshot }: CampaignModels): Markup {
  const phase = snapshot?.view.phase ?? report?.state ?? 'not known';
  return html`<h1>${campaign} <span class="state">${phase}</span></h1>`;
}
