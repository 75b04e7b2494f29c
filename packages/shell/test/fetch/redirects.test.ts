import Fastify, { type InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { openExternalFetch } from '../../src/fetch/external-fetch.ts'
import { createPageFetch, type FetchAttempt } from '../../src/fetch/page-fetch.ts'
import { answer, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

async function setUp(t: Test) {
  const app = Fastify()
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) => body)
  app.all('/echo', async ({ method, body, headers }) => ({ method, body: body ?? null, headers }))
  app.all('/to/:status', async (request, reply) => {
    const { to } = request.query as { to: string }
    return reply.redirect(to, Number((request.params as { status: string }).status))
  })
  const server = await openUnrulyServer(t)
  const externalFetch = openExternalFetch()
  t.teardown(async () => {
    await externalFetch.destroy()
    await app.close()
  })
  const fetch = createPageFetch({
    origin: 'http://own.example',
    inject: (request: InjectOptions) => app.inject(request),
    externalFetch,
    visitor: { headers: { cookie: 'session=s', authorization: 'Bearer b' }, address: '203.0.113.9' },
    backoff: { base: 1, cap: 4 },
    wrapAttempt<T>({ addedHeaders }: FetchAttempt, run: () => Promise<T>) {
      addedHeaders.set('x-trace', '1')
      return run()
    }
  })
  return { fetch, server }
}

t.test('ctx.fetch follows redirects as fetch does', async (t) => {
  t.test('changes method and body by the status code', async (t) => {
    const { fetch } = await setUp(t)
    const rows = [
      [301, 'POST', 'GET'],
      [302, 'POST', 'GET'],
      [302, 'PUT', 'PUT'],
      [303, 'PUT', 'GET'],
      [307, 'POST', 'POST'],
      [308, 'DELETE', 'DELETE']
    ] as const
    for (const [status, method, then] of rows) {
      const response = await fetch(`/to/${status}?to=/echo`, { method, body: 'text' })
      t.match(response, { redirected: true, url: 'http://own.example/echo' })
      const { headers, ...seen } = await response.json()
      t.same(seen, { method: then, body: then === 'GET' ? null : 'text' }, `${method} ${status}`)
      t.equal('content-type' in headers, then !== 'GET')
    }
    t.match(await fetch('/to/303?to=/echo', { method: 'HEAD' }), { status: 200, body: null })
  })

  t.test(
    'returns the response with `manual`, throws with `error`, ends a loop, and refuses another scheme',
    async (t) => {
      const { fetch } = await setUp(t)
      const response = await fetch('/to/302?to=/echo', { redirect: 'manual' })
      t.equal(response.status, 302)
      t.equal(response.headers.get('location'), '/echo')
      await t.rejects(fetch('/to/302?to=/echo', { redirect: 'error' }), {
        code: 'APP_FETCH_REDIRECT',
        message: 'GET http://own.example/to/302?to=: redirects to http://own.example/echo'
      })
      await t.rejects(fetch('/to/302?to=/to/302?to='), {
        code: 'APP_FETCH_REDIRECT',
        message: /more than 20 redirects/
      })
      await t.rejects(fetch('/to/302?to=file:///etc/passwd'), { code: 'APP_FETCH_URL' })
      await t.rejects(fetch('/to/307?to=/echo', { method: 'POST', body: new Blob(['x']).stream() }), {
        code: 'APP_FETCH_REDIRECT',
        message: /a stream cannot be sent twice/
      })
    }
  )

  t.test('sends no credentials to another origin, nor back from it', async (t) => {
    const { fetch, server } = await setUp(t)
    server.will(answer(302, { location: 'http://own.example/echo' }))
    const response = await fetch(`/to/302?to=${server.origin}/x`, {
      credentials: 'include',
      headers: { authorization: 'Mine', cookie: 'mine=1', 'x-page': '1' }
    })
    t.equal(server.seen.length, 1)
    t.match(server.seen[0]?.headers, {
      authorization: undefined,
      cookie: undefined,
      'x-trace': undefined,
      'x-page': '1',
      host: new URL(server.origin).host
    })
    t.match((await response.json()).headers, {
      authorization: undefined,
      cookie: undefined,
      'x-page': '1',
      host: 'own.example'
    })
  })
})
