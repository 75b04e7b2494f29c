import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import assets from '../../src/plugins/assets.ts'

const SERVED = ['robots.txt', '.well-known/security.txt', 'files/.well-known/a.txt', 'html/terms.html', 'a b.txt', ':a']
const HIDDEN = [
  'index.html',
  '.DS_Store',
  '.env',
  '.vite/manifest.json',
  'files/.git/config',
  '.well-known-not',
  'a.js.map'
]

t.test('files of a build are served, but no template, map or hidden file', async (t) => {
  const folder = createFolder(t)
  for (const name of [...SERVED, ...HIDDEN]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), `text of ${name}`)
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(assets, { folder })
  for (const name of SERVED) t.equal((await app.inject(encodeURI(`/${name}`))).body, `text of ${name}`)
  for (const name of [...HIDDEN, 'missing.txt']) t.equal((await app.inject(`/${name}`)).statusCode, 404, name)
})
