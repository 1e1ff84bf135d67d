import { defineConfig } from 'vitest/config';

const seconds = 1000;

export default defineConfig({
  test: {
    pool: 'forks',
    projects: [
      project(
        'unit',
        ['core', 'activities', 'repo', 'infra', 'harness', 'cli', 'workers', 'scripts'],
        10,
      ),
      project('contracts', ['contracts'], 60),
      project('profile', ['profile'], 600),
      project('workflows', ['workflows'], 120, { globalSetup: 'test/workflows/global-setup.ts' }),
      // Whole campaigns share the machine's slots and ports, so their files take turns.
      project('e2e', ['e2e'], 600, {
        fileParallelism: false,
        globalSetup: 'test/e2e/play-baseline.ts',
      }),
    ],
  },
});

function project(name: string, rooms: string[], timeoutS: number, more: object = {}) {
  return {
    extends: true as const,
    test: {
      name,
      include: rooms.map((room) => `test/${room}/**/*.test.ts`),
      testTimeout: timeoutS * seconds,
      hookTimeout: Math.max(30, timeoutS) * seconds,
      ...more,
    },
  };
}
