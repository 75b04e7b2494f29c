import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { createRenderer } from '../../src/render/renderer.ts'

const decision = readFileSync(
  join(import.meta.dirname, '../../../../docs/decisions/043-fastify-react-is-registered.md'),
  'utf8'
)
const site = await buildSite(join(import.meta.dirname, '../fixtures/coming-from-fastify-react'))

async function openApp(t: Parameters<typeof createTestApp>[0]) {
  const { app } = await createTestApp(t, { site })
  app.decorate('loans', ['First book', 'Second book'])
  const get = (url: string, headers?: Record<string, string>) => app.inject({ url, headers })
  return { app, get }
}

t.test('pages written for @fastify/react', async (t) => {
  const { app, get } = await openApp(t)

  await t.test(
    'the renderer is that of @fastify/react, except for the replacements that docs/decisions/043 lists',
    async (t) => {
      const { renderer } = await createRenderer({ dev: false, dist: site.dist })
      const ours = renderer as Record<string, unknown>
      const stock = app.pages.site.entry.fastifyReact as unknown as Record<string, unknown>
      t.equal(renderer.clientModule, '$app/index.js')
      const rows = new Map([...decision.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, name, fate]) => [name, fate]))
      for (const name of Object.keys(stock))
        t.equal(rows.get(name) === 'unchanged', ours[name] === stock[name], `${name}: ${rows.get(name)}`)
      t.equal((await app.pages.site.entry.routes).constructor.name, 'Routes')
    }
  )

  await t.test('useRouteContext has data, state and the exports of context.ts', async (t) => {
    t.match((await get('/catalogue')).body, '<li>First book</li><li>Second book</li>')
    t.match((await get('/catalogue')).body, '<title>Catalogue of 2</title>')
    t.match((await get('/loans')).body, '<li>First book</li>')
    t.match((await get('/branches')).body, '2 loans at the branch', 'on a page with `cache`')
  })

  await t.test('a state that a component sets while it renders is in the document', async (t) => {
    const { body } = await get('/')
    t.match(body, '<h1>Set while rendering</h1>')
    t.match(body, /"state":\{[^<]*"greeting":"Set while rendering"/)
  })

  await t.test('a layout reads the state', async (t) => {
    t.match((await get('/card')).body, 'Show the card')
    t.notMatch((await get('/card')).body, 'Card of a reader')
  })

  await t.test('onEnter runs on the server for a document, and not for page data', async (t) => {
    const { body } = await get('/enter')
    t.match(body.replaceAll('<!-- -->', ''), 'Atlas entered on the server, true, true')
    t.match(body, '<title>Entered Atlas</title>')
    t.same(JSON.parse((await get('/-/data/enter')).body).data, { book: 'Atlas' })
  })

  await t.test('onEnter can set clientOnly', async (t) => {
    const { body } = await get('/pressure')
    t.notMatch(body, 'Rendered by the browser alone')
    t.match(body, '"clientOnly":true')
  })

  await t.test('getData receives req, with the parameters of the file name', async (t) => {
    t.match((await get('/reader/7?tab=notes')).body.replaceAll('<!-- -->', ''), 'Reader 7 by GET, 7, notes')
    t.match((await get('/shelf/a/b%20c')).body.replaceAll('<!-- -->', ''), 'Shelf a then b c')
    t.equal((await get('/shelf')).statusCode, 404)
  })

  await t.test('`path` replaces the file name', async (t) => {
    t.match((await get('/in/French')).body.replaceAll('<!-- -->', ''), 'Books in French')
    t.equal((await get('/renamed')).statusCode, 404)
  })

  await t.test('route hooks run for the document and for its data', async (t) => {
    for (const url of ['/hooks', '/-/data/hooks']) {
      const refused = await get(url)
      t.equal(refused.statusCode, 403, url)
      t.notMatch(refused.body, 'the reading room is open', url)
      const response = await get(url, { 'x-card': 'valid' })
      t.match(response.body, 'the reading room is open', url)
      t.match(response.headers, { 'x-seen': 'onRequest', 'x-sent': 'onSend' }, url)
    }
    t.equal((await get('/catalogue')).headers['x-seen'], undefined)
  })

  await t.test('reply.redirect in getData redirects a document and a navigation', async (t) => {
    t.match(await get('/moved'), { statusCode: 302, headers: { location: '/catalogue' } })
    t.match((await get('/-/data/moved')).json(), { redirect: '/catalogue' })
  })

  await t.test('configure registers routes, at a path that the build names', async (t) => {
    t.same((await get('/-/action/counter')).json(), { counted: 1 })
  })

  await t.test('getMeta can return what unhead accepts', async (t) => {
    const { body } = await get('/head')
    t.match(body, '<title>Opening hours | Library</title>')
    t.match(body, '<meta name="author" content="The &quot;librarian&quot;" data-head>')
    t.match(body, '<meta property="article:section" content="Hours" data-head>')
    t.match(body, '<link rel="alternate" hreflang="fr" href="/fr/head" data-head>')
    t.match(body, '<html lang="fr" data-was-lang="en">')
    t.match(body, '<body class="wide calm" data-was-class="">')
  })

  await t.test('`streaming`, `clientOnly` and `serverOnly` have their effect', async (t) => {
    t.match((await get('/streamed')).body, 'The archive answers')
    t.notMatch((await get('/only')).body, 'Drawn in the browser')
    const paper = (await get('/paper')).body
    t.match(paper, 'Printed on the server')
    t.notMatch(paper, '<script')
  })

  await t.test('a fallback has the state', async (t) => {
    t.match((await get('/nothing')).body, /"state":\{/)
  })
})
