// Violations that are planted here turn the rules of this tree red, and what is allowed does not.
import { describe, expect, it } from 'vitest';
import { treeProblems } from './drawn-tree.ts';
import { importCircles } from './import-circles.ts';
import type { TrackedFile } from './tracked-files.ts';

const file = (path: string, ...lines: string[]): TrackedFile => ({ path, lines });

describe('a circle of imports', () => {
  const other = file('core/b.ts', "export { one } from './c.ts';");

  it('is found by types alone', () => {
    const one = file('core/a.ts', "import type { B } from './b.ts';");
    const back = file('core/c.ts', "import { type A, a } from './a.ts';");
    expect(importCircles([one, other, back])).toEqual([
      'core/a.ts -> core/b.ts -> core/c.ts -> core/a.ts',
    ]);
  });

  it('is not two ways to one file', () => {
    const one = file('core/a.ts', "import './b.ts';", "import './c.ts';");
    expect(importCircles([one, other, file('core/c.ts', '')])).toEqual([]);
  });
});

describe('the tree in the README', () => {
  const readme = [
    '```text',
    'core/      ideas; gate/ decides, (stats/)',
    '  recipe/    a recipe, of ./elsewhere/there',
    'web/       the report',
    '```',
  ].join('\n');
  const paths = [
    'core/a.ts',
    'core/gate/a.ts',
    'core/stats/b/c.ts',
    'core/recipe/a.ts',
    'web/a.ts',
  ];

  it('has two levels', () => {
    expect(treeProblems(readme, paths)).toEqual([]);
  });

  it('names a folder that it lacks, and one that is gone', () => {
    expect(treeProblems(readme, ['core/facts/a.ts', ...paths.slice(0, 4)])).toEqual([
      'core/facts is not drawn',
      'web is not there',
    ]);
  });
});
