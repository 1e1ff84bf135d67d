// Entries of the ledger about what was asked, proposed and replayed before a generation trains.
import { z } from 'zod';
import { artifactRefSchema } from './artifact.ts';
import { forecastSchema } from './forecast.ts';
import { inquiryEndSchema, spendSchema } from './inquiry.ts';
import { interventionSchema } from './intervention.ts';

export const proposingBodies = {
  inquired: {
    ...inquiryEndSchema.shape,
    campaignSpent: spendSchema.describe('by all inquiries of the campaign, with this one'),
  },
  proposed: {
    interventions: z.array(interventionSchema),
    refused: z.array(z.strictObject({ id: z.string(), why: z.string() })),
    harness: artifactRefSchema
      .optional()
      .describe('with the features that interventions bring; absent = none brings any'),
  },
  backtested: {
    report: artifactRefSchema,
    survivors: z.array(z.string()),
    rejected: z.array(z.strictObject({ id: z.string(), why: z.string() })),
    forecasts: z.array(forecastSchema).describe('one per proposed intervention, in that order'),
  },
} as const;
