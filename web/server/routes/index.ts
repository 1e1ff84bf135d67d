// All pages. A file of this folder exports a function that makes the routes of one.
import type { Hono } from 'hono';
import type { UiContext } from '../context.ts';
import { campaignRoutes } from './campaign.ts';
import { campaignsRoutes } from './campaigns.ts';
import { timeRoutes } from './time.ts';
import { healthRoutes } from './health.ts';

export const ROUTES: readonly ((context: UiContext) => Hono)[] = [
  campaignsRoutes,
  campaignRoutes,
  timeRoutes,
  healthRoutes,
];
