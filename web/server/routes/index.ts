// All pages. A file of this folder exports a function that adds the routes of one.
import type { Hono } from 'hono';
import type { UiContext } from '../context.ts';
import { actRoutes } from './act.ts';
import { campaignRoutes } from './campaign.ts';
import { campaignsRoutes } from './campaigns.ts';
import { inquiriesRoutes } from './inquiries.ts';
import { logsRoutes } from './logs.ts';
import { timeRoutes } from './time.ts';
import { healthRoutes } from './health.ts';
import { trajectoriesRoutes } from './trajectories.ts';
import { helpRoutes } from './help.ts';
import { ledgerRoutes } from './ledger.ts';

export const ROUTES: readonly ((app: Hono, context: UiContext) => void)[] = [
  campaignsRoutes,
  campaignRoutes,
  timeRoutes,
  healthRoutes,
  actRoutes,
  trajectoriesRoutes,
  logsRoutes,
  inquiriesRoutes,
  ledgerRoutes,
  helpRoutes,
];
