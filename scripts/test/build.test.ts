import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { APPLICATION, build, INBOX, isBuilt } from '../build.js'

/** A fake Vite, which only writes the outputs of a build. */
const VITE = `
  const { mkdirSync, writeFileSync } = require('node:fs')
  const folder = process.cwd().endsWith('inbox') ? 'dist/pages' : 'dist'
  mkdirSync(folder, { recursive: true })
  writeFileSync(folder + '/build.json', '{}')
`

t.test('pages of the inbox are built again when their sources change', async (t) => {
  const root = t.testdir({
    client: { 'a.tsx': '' },
    node_modules: { vite: { bin: { 'vite.js': VITE } } },
    packages: { inbox: { client: { 'index.html': '' }, src: { 'b.tsx': '' } }, shell: { src: { 'c.ts': '' } } }
  })
  const change = (file: string) => writeFileSync(join(root, file), String(Math.random()))
  t.notOk(isBuilt(root, INBOX), 'not built at first')
  for (const file of ['packages/inbox/client/index.html', 'packages/inbox/src/b.tsx', 'packages/shell/src/c.ts']) {
    await build(root, process.execPath, INBOX)
    t.ok(isBuilt(root, INBOX))
    change(file)
    t.notOk(isBuilt(root, INBOX), file)
  }

  await build(root, process.execPath, INBOX)
  t.notOk(isBuilt(root, APPLICATION), 'the application has a build of its own')
  await build(root, process.execPath)
  change('client/a.tsx')
  t.ok(isBuilt(root, INBOX), 'no page of the inbox imports the application')
  t.notOk(isBuilt(root))
  rmSync(join(root, 'packages/inbox/dist'), { recursive: true })
  t.notOk(isBuilt(root, INBOX), 'dist was deleted')
})

t.test('the application is built again when a file changes that its pages may import', async (t) => {
  const root = t.testdir({
    client: { 'a.tsx': '', public: { '.well-known': { 'security.txt': '' } } },
    plugins: { 'b.ts': '' },
    routes: { api: { 'c.ts': '' } },
    handbook: { pages: { 'd.tsx': '' } },
    'config.ts': '',
    '.env': 'DATA_DIR=kept',
    kept: { 'inbox.db': '' },
    shop: { 'package.json': '{}', client: { 'e.tsx': '' } },
    node_modules: { vite: { bin: { 'vite.js': VITE } } }
  })
  const files = [
    'client/public/.well-known/security.txt',
    'plugins/b.ts',
    'routes/api/c.ts',
    'handbook/pages/d.tsx',
    'config.ts'
  ]
  for (const file of files) {
    await build(root, process.execPath)
    t.ok(isBuilt(root))
    writeFileSync(join(root, file), 'changed')
    t.notOk(isBuilt(root), file)
  }

  await build(root, process.execPath)
  writeFileSync(join(root, 'kept/inbox.db'), 'changed')
  t.ok(isBuilt(root), 'data is not an input')
  writeFileSync(join(root, 'shop/client/e.tsx'), 'changed')
  t.ok(isBuilt(root), 'another application is not an input')

  for (const [file, text] of [
    ['.env', 'DATA_DIR=kept\nVITE_COLOUR=blue'],
    ['.env.local', 'VITE_COLOUR=green'],
    ['.env.production', 'VITE_SIZE=1'],
    ['.env.production.local', 'VITE_SIZE=2']
  ] as const) {
    writeFileSync(join(root, file), text)
    t.notOk(isBuilt(root), `${file} is an input, because Vite reads it`)
    await build(root, process.execPath)
  }
  writeFileSync(join(root, '.env'), 'DATA_DIR=kept\nVITE_COLOUR=blue\nLOG_LEVEL=warn')
  t.ok(isBuilt(root), 'settings of the server are not an input')

  mkdirSync(join(root, 'copies'))
  for (const name of ['monday.db', 'monday.db-wal', 'server.log', 'shop.ndjson', 'shop.ndjson.gz'])
    writeFileSync(join(root, 'copies', name), 'data')
  // A sparse file that is larger than Node can read at once.
  truncateSync(join(root, 'copies/monday.db'), 3 * 1024 ** 3)
  t.ok(isBuilt(root), 'a backup of the inbox is not an input')
  writeFileSync(join(root, 'client/public/places.ndjson'), '{}')
  t.notOk(isBuilt(root), 'a file that browsers load is an input')
})
