import { expect, test } from 'vitest';
import { describeRisks } from '../../cli/describe-risks.ts';
import { config } from '../core/campaign-fixtures.ts';

test('a dry run has no risks of guards where there is no gate, and says so', () => {
  expect(describeRisks(config)).toContain('chance that a guard refuses');
  expect(describeRisks({ ...config, arm: 'score_only' })).toMatch(/^# no gate: [^\n]*$/);
});
