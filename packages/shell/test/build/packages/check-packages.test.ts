import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLogger, createServer } from 'vite'
import { hull } from '../../../src/build/hull.ts'

const manifest = (version: string, dependencies = {}) =>
  JSON.stringify({ version, dependencies, exports: { '.': './index.js', './client': './client.js', './*': './src/*' } })

/** Creates an application with its own packages, independent of the packages of the repository. */
function createProject(t: Test, files: Record<string, string>, hullPackages: Record<string, unknown> = {}) {
  const shell = { 'package.json': manifest('1.0.0') }
  return t.testdir({
    client: { 'browser.ts': `import '@hull/shell/client'\n` },
    plugins: files,
    node_modules: { '@hull': { shell, ...hullPackages } }
  })
}

t.test('hull() accepts imports of the entries of packages', async (t) => {
  const root = createProject(t, { 'a.ts': `import { pages } from '@hull/shell'\nimport './b.ts'\n` })
  t.doesNotThrow(() => hull({ root }))
})

t.test('hull() names the file that imports a package which is not installed', async (t) => {
  const root = createProject(t, { 'a.ts': `import { log } from '@hull/logbook'\n` })
  t.throws(() => hull({ root }), {
    code: 'APP_PACKAGE_MISSING',
    message:
      'plugins/a.ts imports @hull/logbook, which is not installed: run npm install, or npm install @hull/logbook, or remove the import'
  })
  const late = createProject(t, { 'a.ts': `export const log = () => import('@hull/logbook')\n` })
  t.throws(() => hull({ root: late }), { code: 'APP_PACKAGE_MISSING' })
})

t.test('hull() ignores imports in comments and in strings', async (t) => {
  const root = createProject(t, {
    'a.ts': `// import log from '@hull/logbook'
      /* await app.register(import('@hull/logbook')) */
      export const load = (name: string) => import('@hull/' + name)
      export const sample = \`import { log } from '@hull/logbook'\`\n`
  })
  t.doesNotThrow(() => hull({ root }))
})

t.test('hull() names the file that imports the internals of a package', async (t) => {
  for (const source of ['@hull/shell/render/renderer.ts', '@hull/common/errors.ts']) {
    const root = createProject(
      t,
      { 'a.ts': `export { a } from '${source}'\n` },
      { common: { 'package.json': manifest('1.0.0') } }
    )
    t.throws(() => hull({ root }), { code: 'APP_PACKAGE_INTERNAL', message: `plugins/a.ts imports ${source}, which` })
  }
})

t.test('hull() names both folders of a package that is installed twice', async (t) => {
  const other = { 'package.json': manifest('2.0.0', { '@hull/common': '2.0.0' }) }
  const root = createProject(
    t,
    { 'a.ts': `import '@hull/shell'\nimport '@hull/inbox'\n` },
    {
      common: { 'package.json': manifest('1.0.0') },
      shell: { 'package.json': manifest('1.0.0', { '@hull/common': '1.0.0' }) },
      inbox: { ...other, node_modules: { '@hull': { common: { 'package.json': manifest('2.0.0') } } } }
    }
  )
  t.throws(() => hull({ root }), {
    code: 'APP_PACKAGE_TWICE',
    message:
      /^@hull\/common is installed twice: \d\.0\.0 in node_modules\/@hull\/.*common, and \d\.0\.0 in node_modules\/@hull\/.*common\. Give all/
  })
})

t.test('a page root is a folder that a package exports', async (t) => {
  const offers = JSON.stringify({ version: '1.0.0', exports: { './web/*': './dist/web/*' } })
  const root = createProject(t, {}, { inbox: { 'package.json': offers, dist: { web: {} } } })
  t.doesNotThrow(() => hull({ root, roots: [{ folder: '@hull/inbox/web', prefix: '/inbox' }] }))
  t.throws(() => hull({ root, roots: [{ folder: '@hull/logbook/web', prefix: '/log' }] }), {
    code: 'APP_PAGE_ROOT_MISSING',
    message: /install the package that contains it/
  })
})

t.test(
  'hull() finds its packages in development if only direct dependencies are in node_modules, as with pnpm',
  async (t) => {
    // Outside of the repository, because its node_modules has all packages.
    const root = mkdtempSync(join(tmpdir(), 'direct-'))
    t.teardown(() => rmSync(root, { recursive: true, force: true }))
    for (const folder of ['client/pages', 'node_modules/@hull']) mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, 'client/index.html'), '')
    for (const name of ['react', 'react-dom', '@hull/shell'])
      symlinkSync(join(import.meta.dirname, '../../../../../node_modules', name), join(root, 'node_modules', name))

    const warnings: string[] = []
    const customLogger = { ...createLogger('silent'), warn: (text: string) => warnings.push(text) }
    const server = await createServer({
      configFile: false,
      customLogger,
      server: { middlewareMode: true, ws: false, watch: null },
      plugins: [hull({ root })]
    })
    t.teardown(() => server.close())
    t.same(warnings, [])
  }
)
