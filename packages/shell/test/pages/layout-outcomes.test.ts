import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildFaultySite } from '@hull/test-helpers/faults.ts'

const site = await buildFaultySite()

t.test('an outcome that a component of any layout throws is the outcome of the page', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  for (const place of ['layout component', 'default layout component']) {
    for (const page of ['buffered', 'streaming', 'server-only', 'client-only', 'cached']) {
      for (const [what, status, words] of [
        ['unauthorized', 401, 'Sign in to see this page.'],
        ['forbidden', 403, 'this page is not open to you'],
        ['not found', 404, 'No such thing.']
      ] as const) {
        const query = new URLSearchParams({ place, throw: what }).toString()
        const response = await app.inject(`/throw/${page}?${query}`)
        t.equal(response.statusCode, status, `${what} in the ${place} of ${page}`)
        t.match(response.body, words)
        t.match(response.body, 'noindex')
        const data = await app.inject(`/-/data/throw/${page}?${query}`)
        t.equal(data.statusCode, 200, 'page data renders no component: the browser does')
      }
      const redirect = await app.inject(
        `/throw/${page}?${new URLSearchParams({ place, throw: 'redirect' }).toString()}`
      )
      t.equal(redirect.statusCode, 302, `redirect in the ${place} of ${page}`)
      t.equal(redirect.headers.location, '/?from=fault')
    }
  }
  t.same(logs.takeErrors(), [])
})

t.test('a fallback is shown without the layout whose component fails', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  const query = new URLSearchParams({ place: 'default layout component', throw: 'error' }).toString()
  const missing = await app.inject({ url: `/nowhere?${query}`, headers: { accept: 'text/html' } })
  t.equal(missing.statusCode, 404)
  t.match(missing.body, 'There is no page at this address.')
  t.equal(logs.takeErrors().length, 1)
})
