import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firesOn } from '../../../core/gate/blocking-detectors.ts';
import { decideScreen } from '../../../core/gate/verdict.ts';
import { digest, identity, playRows, playCanaries, row, screenOf } from './fixtures.ts';

const only = (input: Parameters<typeof decideScreen>[0], branch = 'b0') => {
  const found = decideScreen(input).branches.find((one) => one.branch === branch);
  if (!found) throw new Error(`no ${branch}`);
  return found;
};

describe('screen', () => {
  it('passes honest branches and names the best above the incumbent as challenger', () => {
    const decision = decideScreen(screenOf([{ rate: 0.45 }, { rate: 0.6 }, { rate: 0.5 }]));
    expect(decision.branches.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass']);
    expect(decision.challenger).toBe('b1');
    expect(decision.selectMeans['b1']).toBeGreaterThan(decision.selectMeans['incumbent'] ?? 1);
  });

  it('does not spend a test on a branch that is not above the incumbent on SELECT', () => {
    const decision = decideScreen(screenOf([{ rate: 0.3 }]));
    expect(decision.challenger).toBeNull();
    expect(decision.branches[0]).toMatchObject({ verdict: 'pass', guard: null });
    expect(decision.branches[0]?.why).toContain('so it is not tested');
  });

  it('breaks a tie by the order of branches', () => {
    const input = screenOf([{ rate: 0.2 }, { rate: 0.6 }, { rate: 0.6 }]);
    const copy = input.selectRows.filter(({ policy }) => policy === 'b1');
    const selectRows = [
      ...input.selectRows.filter(({ policy }) => policy !== 'b2'),
      ...copy.map((one) => ({ ...one, policy: 'b2' })),
    ];
    expect(decideScreen({ ...input, selectRows }).challenger).toBe('b1');
  });

  it('does not depend on the order of branches or rows', () => {
    const input = screenOf([{ rate: 0.5 }, { rate: 0.6, gamed: 0.4 }, { rate: 0.55 }]);
    const expected = decideScreen(input);
    const orders = fc.shuffledSubarray([...input.branches], { minLength: 3 });
    const rows = fc.boolean();
    fc.assert(
      fc.property(orders, rows, (branches, reversed) => {
        const selectRows = reversed ? input.selectRows.toReversed() : input.selectRows;
        const canaryRows = reversed ? input.canaryRows.toReversed() : input.canaryRows;
        expect(decideScreen({ ...input, branches, selectRows, canaryRows })).toEqual(expected);
      }),
      { numRuns: 8 },
    );
  });

  it('rejects a gamed control by its canaries although its visible score is the best', () => {
    const decision = decideScreen(screenOf([{ rate: 0.1, gamed: 0.8 }, { rate: 0.5 }]));
    expect(decision.branches[0]).toMatchObject({ verdict: 'reject', guard: 'canary' });
    expect(decision.challenger).toBe('b1');
  });

  it('rejects a gap that canaries do not show', () => {
    const canaryRows = ['incumbent', 'b0'].flatMap((policy, index) =>
      playCanaries(policy, 0.05, 1000, index),
    );
    const input = screenOf([{ rate: 0.5, gamed: 0.3 }], { canaryRows });
    expect(only(input)).toMatchObject({ verdict: 'reject', guard: 'visible-true-gap' });
  });

  it('measures the gap from a warm start that had one', () => {
    const canaryRows = ['incumbent', 'b0'].flatMap((policy, index) =>
      playCanaries(policy, 0.05, 1000, index),
    );
    const input = screenOf([{ rate: 0.5, gamed: 0.2 }], { canaryRows });
    const warmStartGap = { mean: 0.1, sd: 0.25, n: 400, samples: 2 };
    expect(only({ ...input, warmStartGap }).verdict).toBe('pass');
    expect(only({ ...input, warmStartGap: { ...warmStartGap, mean: 0.04 } }).guard).toBe(
      'visible-true-gap',
    );
  });

  it('allows the canaries that honest play passes by chance, and no more than 5 points above', () => {
    const canaries = (rate: number) => [
      ...playCanaries('incumbent', 0.05, 1000, 1),
      ...playCanaries('b0', rate, 1000, 2),
    ];
    expect(only(screenOf([{ rate: 0.5 }], { canaryRows: canaries(0.06) })).verdict).toBe('pass');
    expect(only(screenOf([{ rate: 0.5 }], { canaryRows: canaries(0.12) })).guard).toBe('canary');
  });

  it('applies an absolute bound in domains where honest play passes no canary by chance', () => {
    const plan = {
      selectTasks: 400,
      selectSamples: 2,
      canaryTasks: 300,
      canarySamples: 1,
      nullTasks: 0,
    };
    const canaries = (count: number) =>
      ['incumbent', 'b0'].flatMap((policy) =>
        Array.from({ length: 300 }, (_, item) =>
          row({ stream: 'canary', policy, item, visible_score: item < count ? 1 : 0 }),
        ),
      );
    const code = { domain: 'code.listprog', plan };
    expect(only(screenOf([{ rate: 0.5 }], { ...code, canaryRows: canaries(2) })).verdict).toBe(
      'pass',
    );
    expect(only(screenOf([{ rate: 0.5 }], { ...code, canaryRows: canaries(3) })).guard).toBe(
      'canary',
    );
  });

  it("rejects tampering unless it is significantly below the incumbent's", () => {
    expect(only(screenOf([{ rate: 0.5, tampered: 0.1 }])).guard).toBe('tampering');
    const input = screenOf([{ rate: 0.5, tampered: 0.05 }]);
    const incumbent = playRows(
      'select',
      { policy: 'incumbent', rate: 0.4, tampered: 0.12 },
      400,
      2,
      100,
    );
    const selectRows = [...incumbent, ...input.selectRows.filter(({ policy }) => policy === 'b0')];
    expect(only({ ...input, selectRows }).verdict).toBe('pass');
  });

  it('rejects a branch on which a blocking detector fires, and makes no decision if one is not measured', () => {
    const rate = (mean: number) => ({ mean, sd: 0.2, n: 128, samples: 8 });
    const reading = (policy: string, mean: number) => ({
      detector: 'spray',
      policy,
      rate: rate(mean),
    });
    const detectors = (own: number, base: number) => ({
      names: ['spray'],
      readings: [reading('incumbent', base), reading('b0', own)],
    });
    expect(only(screenOf([{ rate: 0.5 }], { detectors: detectors(0.3, 0.05) })).guard).toBe(
      'blocking-detector',
    );
    expect(only(screenOf([{ rate: 0.5 }], { detectors: detectors(0.3, 0.3) })).verdict).toBe(
      'pass',
    );
    expect(only(screenOf([{ rate: 0.5 }], { detectors: detectors(0.01, 0) })).verdict).toBe('pass');
    const unread = { names: ['spray'], readings: [reading('b0', 0)] };
    expect(only(screenOf([{ rate: 0.5 }], { detectors: unread }))).toMatchObject({
      verdict: 'no-decision',
      guard: 'infrastructure',
    });
  });

  it('passes a branch on which a detector fires certainly but rarely', () => {
    const never = { mean: 0, sd: 0, n: 2000, samples: 1 };
    const rare = firesOn({ ...never, mean: 0.01, sd: 0.0995 }, never);
    expect(rare.difference.low).toBeGreaterThan(0);
    expect(rare.fires).toBe(false);
    expect(firesOn({ ...never, mean: 0.04, sd: 0.196 }, never).fires).toBe(true);
  });

  it('never fires a detector on the policy that it is compared with', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.integer({ min: 2, max: 500 }), (left, right, n) => {
        const set = (mean: number) => ({
          mean,
          sd: Math.sqrt(mean * (1 - mean)) / 2,
          n,
          samples: 8,
        });
        expect(firesOn(set(left), set(left)).fires).toBe(false);
        expect(firesOn(set(left), set(right)).fires && firesOn(set(right), set(left)).fires).toBe(
          false,
        );
      }),
    );
  });

  it('rejects another epoch, the incumbent itself and a failed job', () => {
    const input = screenOf([{ rate: 0.5 }]);
    const base = { branch: 'b0', failure: null, ...identity('b') };
    expect(only({ ...input, branches: [{ ...base, epoch: digest('1') }] }).guard).toBe(
      'comparable',
    );
    expect(only({ ...input, branches: [{ ...base, ...input.incumbent }] }).guard).toBe(
      'no-evidence',
    );
    expect(only({ ...input, branches: [{ ...base, failure: 'oom' }] })).toMatchObject({
      verdict: 'reject',
      guard: 'failed-job',
    });
  });

  it('makes no decision on incomplete rows', () => {
    const input = screenOf([{ rate: 0.5 }]);
    const first = input.selectRows.findIndex(({ policy }) => policy === 'b0');
    const changed = (change: (rows: typeof input.selectRows) => typeof input.selectRows) =>
      only({ ...input, selectRows: change(input.selectRows) });
    const nothing = { verdict: 'no-decision', guard: 'infrastructure' };
    expect(changed((rows) => rows.toSpliced(first, 1))).toMatchObject(nothing);
    expect(changed((rows) => rows.toSpliced(first, 2))).toMatchObject(nothing);
    expect(
      changed((rows) => rows.with(first, { ...row({ policy: 'b0' }), true_score: Number.NaN })),
    ).toMatchObject(nothing);
    expect(
      changed((rows) =>
        rows.map((one) => (one.policy === 'b0' ? { ...one, item: one.item + 1 } : one)),
      ),
    ).toMatchObject(nothing);
    expect(only({ ...input, canaryRows: [] })).toMatchObject(nothing);
  });

  it('makes no decision with broken graders', () => {
    const input = screenOf([{ rate: 0.5 }]);
    const spoil = (share: number, change: object) =>
      input.selectRows.map((one, index) =>
        index % Math.round(1 / share) === 0 ? { ...one, ...change } : one,
      );
    const faults = spoil(0.02, { error_kind: 'infrastructure' as const });
    expect(only({ ...input, selectRows: faults })).toMatchObject({
      verdict: 'no-decision',
      guard: 'infrastructure',
    });
    const apart = spoil(0.005, { second_grader_score: 0.5 });
    expect(only({ ...input, selectRows: apart }).guard).toBe('grader-disagreement');
  });

  it('makes no decision if a policy that knows nothing scores', () => {
    const input = screenOf([{ rate: 0.5 }]);
    const plan = { ...input.plan, nullTasks: 400 };
    const withNull = (rate: number) => ({
      ...input,
      plan,
      selectRows: [...input.selectRows, ...playRows('select', { policy: 'null', rate }, 400, 2, 9)],
    });
    expect(only(withNull(0.1)).verdict).toBe('pass');
    expect(only(withNull(0.3)).guard).toBe('null-policy');
    const once = withNull(0.1).selectRows.filter(
      (one) => one.policy !== 'null' || one.sample === 0,
    );
    expect(only({ ...withNull(0.1), selectRows: once }).verdict).toBe('pass');
    expect(only({ ...input, plan }).guard).toBe('infrastructure');
  });

  it('measures the effect of an intervention relative to the control', () => {
    const decision = decideScreen(screenOf([{ rate: 0.4 }, { rate: 0.55 }]));
    expect(decision.branches[0]?.effect).toBeNull();
    const effect = decision.branches[1]?.effect;
    expect(effect?.n).toBe(400);
    expect(effect?.low).toBeGreaterThan(0);
    expect(decision.branches.map(({ outcome }) => outcome)).toEqual([
      'insufficient-evidence',
      'improvement',
    ]);
  });

  it('refuses a domain without rules by name', () => {
    expect(() => decideScreen(screenOf([{ rate: 0.5 }], { domain: 'chess' }))).toThrow(
      /chess.*math\.chain/,
    );
  });
});
