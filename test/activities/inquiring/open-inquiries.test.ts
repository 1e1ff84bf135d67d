import { describe, expect, it } from 'vitest';
import { makeInquiryBench, REWARD } from './inquiry-bench.ts';

const AGENT = {
  name: 'optimizer',
  surfaces: ['kl'],
  instructions: 'You own the optimizer.',
  model: 'agent/mine',
};

/** Who is asked within this budget, and with how many tokens. */
async function opened(budget: object) {
  const bench = await makeInquiryBench({ specialists: [REWARD, AGENT], budget });
  const { inquiries } = await bench.brief();
  return inquiries.map(({ specialist, tokens }) => [specialist, tokens]);
}

const BUDGET = { tokens: 1000, usd: null, generation_tokens: null, generation_usd: null, turns: 4 };

describe('an agent that pays for itself', () => {
  it('takes no share of the budget', async () => {
    expect((await opened(BUDGET))[0]).toEqual(['reward', 1000]);
  });

  it('is asked after the budget is spent, too', async () => {
    expect((await opened({ ...BUDGET, usd: 0 })).map(([name]) => name)).toEqual(['optimizer']);
  });
});
