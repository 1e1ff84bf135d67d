// The page of one campaign.
import { Hono } from 'hono';
import { composeJobs } from '../../../workers/compose-jobs.ts';
import { FORM_MESSAGES } from '../../../core/schemas/message-fields.ts';
import { approvalMarkup, controls } from '../../parts/act-page.ts';
import type { CampaignModels } from '../../parts/campaign-models.ts';
import { campaignPage } from '../../parts/campaign-page.ts';
import { guarded } from '../../parts/guarded.ts';
import { openGeneration } from '../../parts/open-generation.ts';
import type { Part } from '../../parts/part.ts';
import type { UiContext } from '../context.ts';
import { keptPer } from '../kept-per.ts';
import { type Curves, LiveCurves } from '../live-curves.ts';
import { livePage } from '../live-page.ts';

/** What waits for a person comes before all that is only to be read. */
function firstParts({ campaign, snapshot, readOnly, outages }: CampaignModels): Part[] {
  const canAct = !readOnly && outages.length === 0;
  return [
    ...guarded('approval', () => approvalMarkup(campaign, snapshot, !canAct)),
    ...guarded('controls', () => (canAct ? controls(campaign, snapshot, FORM_MESSAGES) : null)),
  ];
}

export function campaignRoutes(context: UiContext): Hono {
  const app = new Hono();
  const curvesOf = keptPer(
    context,
    ({ stores, campaign }) => new LiveCurves(composeJobs(stores.open, campaign)),
  );
  /** Without them where the archive cannot be read: the page says so elsewhere. */
  const openPart = async (models: CampaignModels): Promise<Part[]> => {
    const { campaign, snapshot, report } = models;
    const generation = snapshot?.isRunning ? snapshot.view.generation : 0;
    const none: Curves = new Map();
    const curves =
      generation === 0
        ? none
        : await curvesOf(campaign)
            .then((live) => live.read(generation))
            .catch(() => none);
    const nowMs = Date.now();
    return guarded('open', () =>
      openGeneration({ snapshot, ledger: report?.ledger ?? [], curves, nowMs }),
    );
  };
  livePage(app, context, '/c/:campaign', async ({ campaign }) => {
    const models = await context.models(campaign);
    const page = campaignPage(models);
    const at = page.parts.findIndex(({ id }) => id === 'branches');
    const before = at < 0 ? page.parts.length : at;
    const parts = page.parts.toSpliced(before, 0, ...(await openPart(models)));
    return { ...page, parts: [...firstParts(models), ...parts] };
  });
  return app;
}
