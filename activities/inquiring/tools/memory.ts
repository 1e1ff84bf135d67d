import { z } from 'zod';
import { nearestSkills } from '../../../core/research/nearest-skills.ts';
import { NAME_MAX } from '../../../core/schemas/limits.ts';
import { defineTool } from './tool.ts';

const ROWS_MAX = 10;

export const memoryTool = defineTool({
  name: 'memory',
  description:
    'Skills of this campaign: what each operator did at a bottleneck, with uses, hits and effects on SELECT. At most 10, nearest first.',
  parameters: {
    about: z
      .string()
      .max(NAME_MAX)
      .optional()
      .describe('a rule or an operator; default: the bottleneck'),
  },
  find: async ({ about }, { stored, memory, health }) => ({
    head: { skills_known: memory.skills.length },
    rows: nearestSkills(memory.skills, about ?? health.bottleneck ?? '').slice(0, ROWS_MAX),
    rests: stored.memory === null ? [] : [stored.memory.sha256],
    foreign: false,
  }),
});
