import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLogger, createServer } from 'vite'
import { hull } from '../../src/build/hull.ts'

const manifest = (version: string, dependencies = {}) =>
  JSON.stringify({ version, dependencies, exports: { '.': './index.js', './client': './client.js', './*': './src/*' } })

/** An application with packages of its own, so that the repository's packages do not matter. */
function createProject(t: Test, files: Record<string, string>, hullPackages: Record<string, unknown> = {}) {
  const shell = { 'package.json': manifest('1.0.0') }
  return t.testdir({
    client: { 'browser.ts': `import '@hull/shell/client'\n` },
    plugins: files,
    node_modules: { '@hull': { shell, ...hullPackages } }
  })
}

t.test('hull() accepts packages that are imported by their entries', async (t) => {
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

t.test('hull() takes no comment and no text for an import', async (t) => {
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

t.test('a page root is a folder that a package offers', async (t) => {
  const offers = JSON.stringify({ version: '1.0.0', exports: { './web/*': './dist/web/*' } })
  const root = createProject(t, {}, { inbox: { 'package.json': offers, dist: { web: {} } } })
  t.doesNotThrow(() => hull({ root, roots: [{ folder: '@hull/inbox/web', prefix: '/inbox' }] }))
  t.throws(() => hull({ root, roots: [{ folder: '@hull/logbook/web', prefix: '/log' }] }), {
    code: 'APP_PAGE_ROOT_MISSING',
    message: /install the package that contains it/
  })
})

t.test(
  'hull() prepares its packages for development where only direct dependencies are found, as pnpm installs',
  async (t) => {
    // Outside of the repository, whose node_modules has all packages.
    const root = mkdtempSync(join(tmpdir(), 'direct-'))
    t.teardown(() => rmSync(root, { recursive: true, force: true }))
    for (const folder of ['client/pages', 'node_modules/@hull']) mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, 'client/index.html'), '')
    for (const name of ['react', 'react-dom', '@hull/shell'])
      symlinkSync(join(import.meta.dirname, '../../../../node_modules', name), join(root, 'node_modules', name))

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
