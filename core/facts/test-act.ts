// Whether a command runs tests: a runner, a manager's test sub-command, or a file that is a test.
import { type Act, act } from './call.ts';
import { kindOfFile } from './file-kind.ts';
import { looksLikePath } from './paths.ts';

const RUNNERS =
  /^(?:pytest|py\.test|tox|nox|unittest|nosetests|nose2?|trial|twisted\.trial|doctest|jest|vitest|mocha|ava|tap|karma|cypress|playwright|rspec|minitest|phpunit|ctest|bats|behave|green|stestr|testr|ward|gotestsum|nextest|busted)$/;
const BY_SUB_COMMAND =
  /^(?:npm|yarn|pnpm|bun|go|cargo|make|mvn|gradle|gradlew|mvnw|dotnet|rake|rails|hatch|poetry|pdm|bazel|meson|deno|swift|mix|stack|cabal|lein|sbt|node|ninja|just|invoke|inv|composer|uv)$/;
const SUB_COMMAND =
  /^(?:(?:run[-:_]?)?tests?(?:[-:_]\w+)*|t|check|check-\w+|verify|spec|unittest|--test)$/i;
const FILE = /(?:^|\/)(?:run_?-?tests?|runtests?|test_?runner|tests?)(?:\.\w+)?$/i;

/** Null where the command runs no tests. */
export function testAct(
  name: string,
  first: string,
  args: readonly string[],
  at: (path: string) => string,
): Act | null {
  const paths = args
    .map((word) => word.split('::')[0] ?? word)
    .filter(looksLikePath)
    .map(at);
  if (RUNNERS.test(name)) return act('test', name === 'py.test' ? 'pytest' : name, { args, paths });
  const sub = args.find((word) => !word.startsWith('-')) ?? '';
  if (BY_SUB_COMMAND.test(name)) {
    const isRun =
      /^(?:run|run-script)$/.test(sub) && args.some((word) => /^tests?(?:$|[:_-])/.test(word));
    if (isRun || SUB_COMMAND.test(sub) || (name === 'node' && args.includes('--test'))) {
      return act('test', name, { args, paths });
    }
  }
  // `[` and `test` of the shell compare files; only a script that lies somewhere is a test.
  if (first.includes('/') && FILE.test(first))
    return act('test', name, { args, paths: [at(first), ...paths] });
  if (!/^(?:python|ipython|node|ruby|perl|php|bash|sh|zsh|deno|bun|tsx|java)$/.test(name))
    return null;
  const file = args.find((word) => !word.startsWith('-')) ?? '';
  const isModule =
    args.includes('-m') && args.some((word) => /^(?:test|.*\.tests?|pytest|unittest)$/.test(word));
  const isFile = looksLikePath(file) && (kindOfFile(file) === 'test' || FILE.test(file));
  const isManaged = /(?:^|\/)manage\.py$/.test(file) && args.includes('test');
  return isModule || isFile || isManaged ? act('test', name, { args, paths }) : null;
}
