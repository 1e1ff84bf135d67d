// The health of a campaign's training.
import { Hono } from 'hono';
import { healthPage } from '../../parts/health-page.ts';
import type { UiContext } from '../context.ts';
import { livePage } from '../live-page.ts';

export function healthRoutes(context: UiContext): Hono {
  const app = new Hono();
  livePage(app, context, '/c/:campaign/health', async ({ campaign, query }) =>
    healthPage(await context.models(campaign), query.get('q') ?? ''),
  );
  return app;
}
