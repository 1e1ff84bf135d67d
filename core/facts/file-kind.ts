// What a file is for, by its path, and by what is written into it where a file of the project may also steer its tests.
import type { Change } from '../schemas/trajectory.ts';

/** By name: the settings, hooks and start-up files of test runners. */
const TEST_CONFIG = [
  /(?:^|\/)(?:conftest\.py|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|setup\.cfg|noxfile\.py|\.coveragerc)$/,
  /(?:^|\/)(?:site|user)customize\.py$|\.pth$/,
  /(?:^|\/)(?:\.testr\.conf|\.stestr\.conf|nose2?\.cfg|unittest\.cfg|phpunit\.xml(?:\.dist)?|testng\.xml)$/,
  /(?:^|\/)(?:jest|vitest|karma|mocha|ava|playwright|cypress|wdio|nightwatch|jasmine)\.(?:\w+\.)?(?:config|conf|setup|workspace|json)(?:\.\w+)*$/,
  /(?:^|\/)(?:mocha\.opts|\.mocharc(?:\.\w+)?|\.taprc|bunfig\.toml|setup-?[tT]ests?\.\w+)$/,
  /(?:^|\/)(?:\.rspec|(?:spec|rails|test)_helper\.\w+|\.busted|\.proverc|nextest\.toml)$/,
  /(?:^|\/)(?:CTestTestfile\.cmake|CTestCustom\.\w+|junit-platform\.properties|\.cargo\/config(?:\.toml)?)$/,
];
const TEST_NAME =
  /^(?:tests?|doctest)(?:[_.-][^/]*)?\.\w+$|^run-?_?tests?(?:\.\w+)?$|[_-](?:test|tests|spec)\.\w+$|\.(?:test|spec)\.\w+$|^(?:Test[A-Z0-9]\w*|\w*[a-z0-9](?:Test|Tests|TestCase|Spec))\.(?:java|kt|scala|groovy|cs|php|swift|m|cc|cpp|ts|js)$/;
const TEST_FOLDER = /(?:^|\/)(?:tests|__tests__|specs?|testcases|testdata|fixtures\/tests)\//;
// `test/` is a folder of tests at the top of a repository; deeper it may be the product, as in django/test/client.py.
const TEST_TOP = /^(?:\/[^/]+\/(?:[^/]+\/)?)?(?:src\/)?(?:test|t)\/|(?:^|\/)src\/test\//;
const CONFIG =
  /\.(?:toml|ini|c(?:fg|onf)|ya?ml|json|json5|lock|txt|env|properties|xml|gradle|cmake|in)$|(?:^|\/)(?:Makefile|Dockerfile|Jenkinsfile|setup\.py|\.[\w.-]+)$/;

/** Files of a whole project that hold a section for its tests. */
const SHARED =
  /(?:^|\/)(?:pyproject\.toml|package\.json|setup\.py|composer\.json|mix\.exs|Cargo\.toml|pom\.xml|(?:settings|build)\.gradle(?:\.kts)?|gradle\.properties|maven\.config|CMakeLists\.txt|(?:GNU)?[Mm]akefile|Makefile\.\w+|Rakefile|[Jj]ustfile|Taskfile\.ya?ml|deno\.jsonc?|vite\.config\.\w+|[\w.-]+\.(?:csproj|runsettings|cabal)|meson\.build|BUILD(?:\.bazel)?|\.github\/workflows\/[^/]+)$/;
const STEERS_TESTS =
  /pytest|addopts|testpaths|python_files|usefixtures|\[tool\.tox|"(?:jest|mocha|ava|vitest|pretest|posttest|test)"\s*:|^\s*-?(?:test|check)\w*\s*:|test_suite|entry_points.*pytest11|\bautotests\b|\[\[?(?:lib|test|bench)\]|^\s*(?:test|harness|doctest)\s*=|[sS]urefire|[sS]kipTests|maven\.test|testFailure|\btest\s*(?:\{|=>|:)|\btasks\.\w*[tT]est|useJUnit|ignoreFailures|add_test|set_tests_properties|\btest_(?:paths|pattern|ignore)|<Compile Remove|-run\b|rspec|phpunit|ctest|cargo test|go test|npm test|continue-on-error/m;

/** `written` is what was added to it and removed from it, where that is known. */
export function kindOfFile(path: string, written = ''): Change['kind'] {
  const name = path.split('/').at(-1) ?? path;
  if (TEST_CONFIG.some((names) => names.test(path))) return 'test_config';
  if (SHARED.test(path) && STEERS_TESTS.test(written)) return 'test_config';
  if (TEST_NAME.test(name) || TEST_FOLDER.test(path) || TEST_TOP.test(path)) return 'test';
  return CONFIG.test(path) ? 'config' : 'source';
}
