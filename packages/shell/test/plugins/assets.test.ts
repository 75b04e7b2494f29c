import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { FASTIFY_SETTINGS } from '@hull/test-helpers/fastify-settings.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import afterStart from '../../src/plugins/after-start.ts'
import assets from '../../src/plugins/assets.ts'
import compression from '../../src/plugins/compression.ts'
import { createFastify } from '../../src/server/create-fastify.ts'

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

t.test('serves files of a build, except templates, maps and hidden files', async (t) => {
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

t.test('serves hashed files where a route has a parameter in their place', async (t) => {
  const folder = t.testdir({ assets: { 'a.js': 'text', img: { 'b.txt': 'text' } } })
  for (const routesFirst of [false, true]) {
    const app = createFastify(FASTIFY_SETTINGS)
    t.teardown(() => app.close())
    const addRoutes = () => {
      app.get('/assets/:id', (request) => `page ${(request.params as { id: string }).id}`)
      app.get('/assets/:id/:part', () => 'page of a part')
    }
    if (routesFirst) addRoutes()
    await app.register(assets, { folder })
    if (!routesFirst) addRoutes()
    t.equal((await app.inject('/assets/a.js')).headers['cache-control'], 'public, max-age=31536000, immutable')
    t.equal((await app.inject('/assets/img/b.txt')).body, 'text')
    t.equal((await app.inject('/assets/7')).body, 'page 7')
  }
})

t.test('a file with the address of a route is refused, and named', async (t) => {
  const folder = t.testdir({ 'robots.txt': '' })
  const app = Fastify()
  app.get('/robots.txt', () => '')
  await t.rejects(async () => app.register(assets, { folder }), {
    code: 'APP_PUBLIC_FILE_TAKEN',
    message: /^client\/public\/robots\.txt has the address \/robots\.txt, /
  })
})

t.test('the file of Apple without an ending is JSON', async (t) => {
  const folder = t.testdir({ '.well-known': { 'apple-app-site-association': '{}' } })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(assets, { folder })
  t.equal(
    (await app.inject('/.well-known/apple-app-site-association')).headers['content-type'],
    'application/json; charset=utf-8'
  )
})

t.test('a file whose time says nothing is sent again', async (t) => {
  const folder = t.testdir({ 'version.json': '"1.2.3"' })
  utimesSync(join(folder, 'version.json'), 315_532_801, 315_532_801)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(assets, { folder })
  const { headers } = await app.inject('/version.json')
  t.notOk('etag' in headers)
  t.notOk('last-modified' in headers)
})

t.test('the response for an unchanged file has no body and no encoding', async (t) => {
  const folder = createFolder(t)
  writeFileSync(join(folder, 'icon.svg'), '<svg/>')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(afterStart)
  await app.register(compression)
  await app.register(assets, { folder })
  const { headers } = await app.inject('/icon.svg')
  const answer = await app.inject({
    url: '/icon.svg',
    headers: { 'accept-encoding': 'br', 'if-none-match': String(headers.etag) }
  })
  t.equal(answer.statusCode, 304)
  t.equal(answer.body, '')
  t.equal(answer.headers['cache-control'], 'public, max-age=3600')
  t.notOk('content-encoding' in answer.headers, 'a cache would apply the encoding to its uncompressed copy')
})

t.test('a range beyond the end of a file is answered with the size of the file', async (t) => {
  const app = createFastify(FASTIFY_SETTINGS)
  t.teardown(() => app.close())
  await app.register(assets, { folder: t.testdir({ 'film.txt': 'text' }) })
  const { statusCode, headers, body } = await app.inject({ url: '/film.txt', headers: { range: 'bytes=9-' } })
  t.equal(statusCode, 416)
  t.equal(headers['content-range'], 'bytes */4')
  t.equal(headers['content-type'], undefined)
  t.equal(body, '')
  const part = await app.inject({ url: '/film.txt', headers: { range: 'bytes=1-2' } })
  t.match([part.statusCode, part.headers['content-range'], part.body], [206, 'bytes 1-2/4', 'ex'])
})
