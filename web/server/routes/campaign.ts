// The page of one campaign.
import { Hono } from 'hono';
import { campaignPage } from '../../parts/campaign-page.ts';
import type { UiContext } from '../context.ts';
import { livePage } from '../live-page.ts';

export function campaignRoutes(context: UiContext): Hono {
  const app = new Hono();
  livePage(app, context, '/c/:campaign', async ({ campaign }) =>
    campaignPage(await context.models(campaign)),
  );
  return app;
}
