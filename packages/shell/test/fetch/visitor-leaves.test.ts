import Fastify, { type InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { openExternalFetch } from '../../src/fetch/external-fetch.ts'
import { createPageFetch, type PageFetchOptions } from '../../src/fetch/page-fetch.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { answer, busy, hang, hangInBody, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const GONE = { code: 'APP_CLIENT_GONE', statusCode: 499, name: 'AbortError' }

async function setUp(t: Test, options: Partial<PageFetchOptions> = {}) {
  const server = await openUnrulyServer(t)
  const app = Fastify()
  const heard = Promise.withResolvers<void>()
  const called = Promise.withResolvers<void>()
  app.all('/hang', (request, reply) => {
    reply.raw.on('close', heard.resolve)
    request.raw.on('close', heard.resolve)
    called.resolve()
    return new Promise(() => {})
  })
  const externalFetch = openExternalFetch()
  t.teardown(async () => {
    await externalFetch.destroy()
    await app.close()
  })
  const visitor = new AbortController()
  const fetch = createPageFetch({
    origin: 'http://own.example',
    inject: (request: InjectOptions) => app.inject(request),
    externalFetch,
    signal: visitor.signal,
    ...options
  })
  return { fetch, server, visitor, heard: heard.promise, called: called.promise }
}

t.test('when the visitor leaves', async (t) => {
  t.test('sends no further request', async (t) => {
    const { fetch, server, visitor } = await setUp(t)
    visitor.abort()
    await t.rejects(fetch(server.origin), GONE)
    t.equal(server.seen.length, 0)
  })

  for (const [where, behaviour] of [
    ['before its headers', hang],
    ['in its body', hangInBody]
  ] as const) {
    t.test(`an attempt ends ${where}, and its connection is closed`, async (t) => {
      const { fetch, server, visitor } = await setUp(t)
      server.will(behaviour)
      const rejected = t.rejects(fetch(server.origin), GONE)
      await eventually(() => server.seen.length === 1)
      visitor.abort()
      await rejected
      await server.abandoned
      t.equal(server.seen.length, 1)
    })
  }

  t.test('the delay between two attempts ends', async (t) => {
    const { fetch, server, visitor } = await setUp(t, { onAttempt: () => setImmediate(() => visitor.abort()) })
    server.will(busy('5'))
    const began = performance.now()
    await t.rejects(fetch(server.origin), GONE)
    t.ok(performance.now() - began < 2_000)
    t.equal(server.seen.length, 1)
  })

  t.test('an own route ends, and is notified', async (t) => {
    const { fetch, visitor, heard, called } = await setUp(t)
    const rejected = t.rejects(fetch('/hang'), GONE)
    await called
    visitor.abort()
    await rejected
    await heard
  })

  t.test('an own route whose body has been read also ends', async (t) => {
    const { fetch, visitor, called } = await setUp(t)
    const rejected = t.rejects(
      fetch('/hang', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
      GONE
    )
    await called
    visitor.abort()
    await rejected
  })

  t.test("removes its listeners from the visitor's signal after each call", async (t) => {
    const { fetch, server, visitor } = await setUp(t)
    let listeners = 0
    const { addEventListener, removeEventListener } = visitor.signal
    visitor.signal.addEventListener = (...args: unknown[]) => {
      listeners++
      Reflect.apply(addEventListener, visitor.signal, args)
    }
    visitor.signal.removeEventListener = (...args: unknown[]) => {
      listeners--
      Reflect.apply(removeEventListener, visitor.signal, args)
    }
    server.will(answer(200))
    await fetch(server.origin)
    t.equal(listeners, 0)
  })
})

t.test('a signal of the page', async (t) => {
  t.test('ends its call with its own reason and without another attempt', async (t) => {
    const { fetch, server } = await setUp(t)
    server.will(hang)
    const page = new AbortController()
    const reason = new Error('changed my mind')
    const rejected = t.rejects(fetch(server.origin, { signal: page.signal }), reason)
    await eventually(() => server.seen.length === 1)
    page.abort(reason)
    await rejected
    t.equal(server.seen.length, 1)
    await t.rejects(fetch(server.origin, { signal: AbortSignal.abort() }), { name: 'AbortError', code: 20 })
  })
})
