// What the workflow bundle registers; a workflow's type is its function's name.
export { branchWorkflow } from './branch.ts';
export { campaignWorkflow } from './campaign.ts';
export { finalWorkflow } from './final.ts';
export { generationWorkflow } from './generation.ts';
export { inquiryWorkflow } from './inquiry.ts';
export { reaperWorkflow } from './reaper.ts';
export { scheduledCampaignWorkflow } from './scheduled-campaign.ts';
