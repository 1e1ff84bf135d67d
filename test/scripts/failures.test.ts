import { describe, expect, it } from 'vitest';
import { pytestFailures, vitestFailures } from '../../scripts/failures.mjs';

describe('the failed tests of a report', () => {
  it('are those of vitest, each with the first lines that it said', () => {
    const told = {
      testResults: [
        {
          name: '/a.test.ts',
          status: 'failed',
          message: '',
          assertionResults: [
            { fullName: 'a sum', status: 'passed', failureMessages: [] },
            {
              fullName: 'a product',
              status: 'failed',
              failureMessages: ['expected 6\nto be 5\nat\nx'],
            },
          ],
        },
      ],
    };
    expect(vitestFailures(told)).toEqual(['a product: expected 6 to be 5 at']);
  });

  it('are a whole file where it could not be loaded', () => {
    const told = {
      testResults: [
        { name: '/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
        { name: '/c.test.ts', status: 'passed', message: '', assertionResults: [] },
      ],
    };
    expect(vitestFailures(told)).toEqual(['/b.test.ts: no such module']);
  });

  it('are those of pytest, errors of set-up among them', () => {
    const xml = `<testsuites><testsuite errors="1" failures="1" tests="3">
      <testcase classname="tests.a" name="test_sum" time="0.1" />
      <testcase classname="tests.a" name="test_less[1]" time="0.1"><failure message="assert 1 &lt; 0&#10;more">x</failure></testcase>
      <testcase classname="tests.b" name="test_set" time="0.1"><error message="failed on setup">x</error></testcase>
      </testsuite></testsuites>`;
    expect(pytestFailures(xml)).toEqual([
      'tests.a test_less[1]: assert 1 < 0 more',
      'tests.b test_set: failed on setup',
    ]);
  });
});
