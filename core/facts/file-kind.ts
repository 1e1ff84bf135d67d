// What a file is for, by its path, and by what is written into it where a file of the project may also steer its tests.
import type { Change } from '../schemas/trajectory.ts';

const TEST_CONFIG =
  /(?:^|\/)(?:conftest\.py|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|setup\.cfg|noxfile\.py|(?:site|user)customize\.py|\.coveragerc|\.testr\.conf|\.stestr\.conf|nose2?\.cfg|unittest\.cfg|(?:jest|vitest|karma|mocha|ava|playwright|cypress|wdio|nightwatch)\.(?:\w+\.)?(?:config|conf|setup)(?:\.\w+)*|mocha\.opts|\.mocharc(?:\.\w+)?|setup-?[tT]ests\.\w+|phpunit\.xml(?:\.dist)?|\.rspec|(?:spec|rails|test)_helper\.rb|CTestTestfile\.cmake|testng\.xml)$|\.pth$/;
const TEST_NAME =
  /^(?:tests?|doctest)(?:[_.-][^/]*)?\.\w+$|^run-?_?tests?(?:\.\w+)?$|[_-](?:test|tests|spec)\.\w+$|\.(?:test|spec)\.\w+$|^(?:Test[A-Z0-9]\w*|\w*[a-z0-9](?:Test|Tests|TestCase|Spec))\.(?:java|kt|scala|groovy|cs|php|swift|m|cc|cpp|ts|js)$/;
const TEST_FOLDER = /(?:^|\/)(?:tests|__tests__|specs?|testcases|testdata|fixtures\/tests)\//;
// `test/` is a folder of tests at the top of a repository; deeper it may be the product, as in django/test/client.py.
const TEST_TOP = /^(?:\/[^/]+\/(?:[^/]+\/)?)?(?:src\/)?(?:test|t)\/|(?:^|\/)src\/test\//;
const CONFIG =
  /\.(?:toml|ini|c(?:fg|onf)|ya?ml|json|json5|lock|txt|env|properties|xml|gradle|cmake|in)$|(?:^|\/)(?:Makefile|Dockerfile|Jenkinsfile|setup\.py|\.[\w.-]+)$/;

/** Files of a whole project that hold a section for its tests. */
const SHARED = /(?:^|\/)(?:pyproject\.toml|package\.json|setup\.py|Makefile)$/;
const STEERS_TESTS =
  /pytest|addopts|testpaths|python_files|usefixtures|\[tool\.tox|"(?:jest|mocha|ava|vitest|pretest|posttest|test)"\s*:|^\s*(?:test|check)\s*:|test_suite|entry_points.*pytest11/m;

/** `written` is what was added to it and removed from it, where that is known. */
export function kindOfFile(path: string, written = ''): Change['kind'] {
  const name = path.split('/').at(-1) ?? path;
  if (TEST_CONFIG.test(path)) return 'test_config';
  if (SHARED.test(path) && STEERS_TESTS.test(written)) return 'test_config';
  if (TEST_NAME.test(name) || TEST_FOLDER.test(path) || TEST_TOP.test(path)) return 'test';
  return CONFIG.test(path) ? 'config' : 'source';
}
