import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findQuickTestFiles, findTestFiles, isQuick, LONG_FILES, orderTestFiles, readTestArgs } from '../test-files.js'

const PROJECT = join(import.meta.dirname, '../..')

t.test('findTestFiles', async (t) => {
  const root = t.testdir({
    test: { 'a.test.ts': '', 'helper.ts': '' },
    client: { 'page.tsx': '' },
    packages: {
      inbox: { src: {}, test: { 'b.test.ts': '', web: { 'c.test.ts': '' } } },
      shell: {
        src: {},
        test: { 'd.test.ts': '' },
        node_modules: { 'e.test.ts': '' },
        template: { test: { 'e.test.ts': '' } }
      }
    },
    scripts: { test: { 'f.test.ts': '', soak: { 'g.test.ts': '' } } }
  })
  const all = [
    'test/a.test.ts',
    'packages/inbox/test/b.test.ts',
    'packages/inbox/test/web/c.test.ts',
    'packages/shell/test/d.test.ts',
    'scripts/test/f.test.ts'
  ]
  t.same(findTestFiles(root), all, 'finds all test files except the soak tests')
  t.same(findTestFiles(root, ['packages/inbox']), all.slice(1, 3), 'finds the test files of a package')
  t.same(findTestFiles(root, ['./packages/shell/']), all.slice(3, 4), 'takes a path with a slash at its end')
  t.same(findTestFiles(root, [join(root, 'test')]), all.slice(0, 1), 'takes an absolute path')
  t.same(
    findTestFiles(root, ['packages/inbox/test/web', 'test/a.test.ts', 'packages/inbox']),
    [all[2], all[0], all[1]],
    'takes folders and files, and each file once'
  )
  t.same(findTestFiles(root, ['scripts']), ['scripts/test/f.test.ts'], 'excludes soak tests from a parent folder')
  t.same(
    findTestFiles(root, ['scripts/test/soak']),
    ['scripts/test/soak/g.test.ts'],
    'finds soak tests by their folder'
  )
  t.throws(() => findTestFiles(root, ['test', 'tests']), { message: /^tests does not exist\./ })
  t.throws(() => findTestFiles(root, ['client']), { message: /^client has no test file\./ })
  t.throws(() => findTestFiles(root, ['test/helper.ts']), { message: /^test\/helper\.ts has no test file\./ })
})

t.test('findTestFiles finds every test file of the project', async (t) => {
  const patterns = ['test', 'packages/*/test', 'scripts/test'].map((folder) => `${folder}/**/*.test.ts`)
  const files = globSync(patterns, { cwd: PROJECT, exclude: ['scripts/test/soak/**'] })
  t.ok(files.length > 0)
  t.same(findTestFiles(PROJECT).sort(), files.sort())
})

t.test('a test file that reads or changes global state of its process runs in a process of its own', async (t) => {
  const state =
    /^\s*(?:Sentry\.)?init\(|\.hasSubscribers\b|\bprocess\.memoryUsage\b|\bprocess\.env\.TZ = |\bgetDefaultIsolationScope\b/m
  const mark = '// Runs in a process of its own: '
  for (const file of findTestFiles(PROJECT)) {
    const text = readFileSync(join(PROJECT, file), 'utf8')
    if (file !== 'scripts/test/test-files.test.ts' && state.test(text)) t.match(text, mark, `${file} has the mark`)
  }
})

t.test('orderTestFiles puts the long files first, and all long files exist', async (t) => {
  const files = findTestFiles(PROJECT)
  t.same(orderTestFiles(files).slice(0, LONG_FILES.length), LONG_FILES)
  t.same(orderTestFiles(files).sort(), files.sort())
  t.same(orderTestFiles(['test/a.test.ts', LONG_FILES[1]!]), [LONG_FILES[1], 'test/a.test.ts'])
})

t.test('findQuickTestFiles', async (t) => {
  const root = t.testdir({
    test: { 'slow.test.ts': "import { launchBrowser } from '@hull/test-helpers/browser.ts'\n", 'quick.test.ts': '' }
  })
  t.same(findQuickTestFiles(root), ['test/quick.test.ts'], 'excludes slow files')
  t.throws(
    () => findQuickTestFiles(root, ['test/slow.test.ts']),
    { message: 'no quick test in test/slow.test.ts. Run: npm test -- test/slow.test.ts' },
    'refuses paths without a quick file'
  )
})

t.test('readTestArgs', async (t) => {
  t.same(readTestArgs(['test', '--jobs=3']), { paths: ['test'], jobs: 3 })
  t.same(readTestArgs([]), { paths: [] }, 'has no default')
  for (const option of ['--jobs=0', '--jobs=two', '--grep=a', '-j3'])
    t.throws(() => readTestArgs([option]), { message: new RegExp(`^there is no option ${option}\\.`) }, option)
})

t.test('isQuick', async (t) => {
  const isSlow = (file: string) => !isQuick(PROJECT, file)
  t.notOk(isSlow('packages/common/test/safe-url.test.ts'), 'a test of a function is quick')
  t.ok(isSlow('packages/inbox/test/web/browser/issues.test.ts'), 'a test with a browser is slow')
  t.ok(isSlow('packages/shell/test/pages/guards.test.ts'), 'a test with an application is slow')
  t.ok(isSlow('packages/shell/test/server/shutdown.test.ts'), 'a test with a server process is slow')
  t.ok(isSlow('packages/shell/test/browser/dev.test.ts'), 'a test with a development server is slow')
  t.ok(isSlow('scripts/test/run.test.ts'), 'a test with a command is slow')
  t.ok(isSlow('packages/monitoring/test/server-sdk/sentry.test.ts'), "a test that reads the project's build is slow")

  const root = t.testdir({
    test: {
      'far.test.ts': "import { near } from './near.ts'\n",
      'near.ts': "import {\n  openTab,\n  launchBrowser\n} from '@hull/test-helpers/browser.ts'\n",
      'types.test.ts': "import type { Tab } from '@hull/test-helpers/browser.ts'\n"
    }
  })
  t.notOk(isQuick(root, 'test/far.test.ts'), 'imports of a helper count')
  t.ok(isQuick(root, 'test/types.test.ts'), 'imports of types do not count')
})
