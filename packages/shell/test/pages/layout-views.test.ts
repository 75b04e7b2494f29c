import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/segments'))
const { app, logs } = await createTestApp(t, { site })
const HTML = { accept: 'text/html' }
const request = (url: string) => app.inject({ url, headers: HTML })

t.test('an error is shown by the view of the nearest layout, inside that layout, with its digest', async (t) => {
  for (const failing of ['data', 'render']) {
    const { statusCode, headers, body } = await request(`/shop/throws?${failing}`)
    const [line, ...others] = logs.takeErrors()
    t.equal(statusCode, 500)
    t.same(others, [])
    t.equal(headers['cache-control'], 'private, no-store')
    t.match(body, /<main data-shop="Ropes">.*<h1>The rope shop is closed<\/h1>/)
    t.match(body, `<p data-side="server">${String(line?.digest)}</p>`)
    t.match(body, '<a href="">Try again</a>')
    t.notMatch(body, 'secret')
    t.match(body, '<title>Application error · Ropes</title>')
    t.match(body, 'noindex')
  }
})

t.test('a page that is not found is shown by the view of the nearest layout', async (t) => {
  const { statusCode, body } = await request('/shop/9')
  t.equal(statusCode, 404)
  t.match(body, /<main data-shop="Ropes">.*<h1>No such rope<\/h1><p>It is sold out\..*\/shop\/9/)
  t.match(body, '<title>Not found · Ropes</title>')
  t.match(body, 'noindex')
  t.match((await request('/shop/9')).body, 'id="hull-payload"', 'the browser hydrates the view')
})

t.test('a path without a page is shown by the view of its area', async (t) => {
  const inArea = await request('/shop/no/page')
  t.equal(inArea.statusCode, 404)
  t.match(inArea.body, 'No such rope')
  const outside = await request('/nowhere')
  t.equal(outside.statusCode, 404)
  t.match(outside.body, 'Nothing at this mooring')
  t.match(outside.body, '<title>Not found · Chandlery</title>')
})

t.test('page data names the layouts around the view', async (t) => {
  const error = await app.inject('/-/data/shop/throws?data')
  const [line] = logs.takeErrors()
  t.equal(error.statusCode, 500)
  const problem = error.json<{ payload: string; digest: string }>()
  t.equal(problem.digest, line?.digest)
  t.notMatch(error.body, 'secret')
  t.match(JSON.parse(problem.payload), {
    page: null,
    layouts: ['default', 'shop'],
    layoutData: [null, { name: 'Ropes' }],
    meta: { title: 'Application error · Ropes', robots: 'noindex' },
    error: { side: 'server', digest: line?.digest }
  })
  const missing = await app.inject('/-/data/shop/9')
  t.equal(missing.statusCode, 404)
  t.match(JSON.parse(missing.json<{ payload: string }>().payload), {
    layouts: ['default', 'shop'],
    meta: { title: 'Not found · Ropes' },
    outcome: { status: 404, message: 'It is sold out.' }
  })
})

t.test('if the inner layout has no view of a kind, that of the next outer layout is used', async (t) => {
  const failed = await request('/team/data')
  t.match(failed.body, /<section data-team="">.*The crew is away/)
  t.equal(logs.takeErrors().length, 1)
  const missing = await request('/team/data?missing')
  t.match(missing.body, 'No such rope')
  t.notMatch(missing.body, 'data-team')
})

t.test('a layout that fails is replaced by the view of the next outer layout', async (t) => {
  const { statusCode, body } = await request('/team/data?layout')
  t.equal(statusCode, 500)
  t.match(body, 'The rope shop is closed')
  t.notMatch(body, /secret|data-team/)
  t.match(logs.takeErrors()[0], { err: { message: 'secret: the layout fails' } })
})

t.test('a layout that fails around the page and around its error is reported once', async (t) => {
  for (const path of ['/harbour?data', '/harbour?render', '/?default', '/shop?default']) {
    const { statusCode, body } = await request(path)
    const [line, ...others] = logs.takeErrors()
    t.equal(statusCode, 500)
    t.match(line, { digest: /./, err: { message: /^secret/ } }, path)
    t.same(others, [], path)
    t.match(body, String(line?.digest))
    t.notMatch(body, 'secret')
  }
  for (const path of ['/harbour?data', '/?default']) {
    const navigation = await app.inject(`/-/data${path}`)
    const lines = logs.takeErrors()
    t.match([navigation.json()], [{ status: 500, digest: lines[0]?.digest }])
    t.equal(lines.length, 1, path)
  }
})

t.test('if a layout refuses the page, documents and navigations show the view of the area', async (t) => {
  const { statusCode, body } = await request('/shop/rack?missing')
  t.equal(statusCode, 404)
  t.match(body, /<main data-shop="Ropes">.*<h1>No such rope/)
  const navigation = await app.inject('/-/data/shop/rack?missing')
  const payload = JSON.parse(navigation.json<{ payload: string }>().payload) as object
  t.match(payload, { layouts: ['default', 'shop'], outcome: { status: 404 } })
  t.notOk('ownFallback' in payload)
})

t.test('a view that fails is replaced by the next outer one, and both errors are reported', async (t) => {
  const failed = await request('/shop/inner?data')
  t.equal(failed.statusCode, 500)
  t.match(failed.body, 'The rope shop is closed')
  const [first, second, ...others] = logs.takeErrors()
  t.match(
    [first, second],
    [{ err: { message: 'secret: the cellar is flooded' } }, { err: { message: 'the error view fails' } }]
  )
  t.match(failed.body, String(first?.digest))
  t.same(others, [])

  const missing = await request('/shop/inner?missing')
  t.equal(missing.statusCode, 404)
  t.match(missing.body, 'No such rope')
  t.match(logs.takeErrors(), [{ err: { message: 'the not-found view fails' } }])
})

t.test('after the last view has failed, the fallback of the application is shown', async (t) => {
  const missing = await request('/alone?missing')
  t.equal(missing.statusCode, 404)
  t.match(missing.body, 'There is no page at this address.')
  t.match(missing.body, 'data-area', 'inside the layout')
  t.equal(logs.takeErrors().length, 1)
  const failed = await request('/alone')
  t.equal(failed.statusCode, 500)
  const [first] = logs.takeErrors()
  t.match(failed.body, String(first?.digest))
})

t.test('a streaming page that suspends shows its loading view first', async (t) => {
  const response = await app.inject({ url: '/shop/stream', headers: HTML, payloadAsStream: true })
  let body = ''
  const gate = globalThis as { segmentGate?: { release?: () => void } }
  for await (const chunk of response.stream()) {
    body += String(chunk)
    if (!body.includes('Fetching ropes') || body.includes('in stock')) continue
    t.match(body, /<main data-shop="Ropes">.*<p role="status">Fetching ropes/)
    gate.segmentGate!.release!()
  }
  t.match(body, /12<!-- --> in stock/)
})

t.test('the shell refuses to start with a view that is not a component', async (t) => {
  const broken = await buildSite(
    t.testdir({
      pages: { 'index.tsx': 'export default () => <p>page</p>' },
      layouts: {
        'shop.tsx': 'export const ErrorView = "closed"\nexport default ({ children }) => <div>{children}</div>'
      }
    })
  )
  await t.rejects(createTestApp(t, { site: broken }), {
    code: 'APP_LAYOUT_VIEW_INVALID',
    message: 'client/layouts/shop.tsx exports ErrorView, which is a string: export a component, or remove the export'
  })
})
