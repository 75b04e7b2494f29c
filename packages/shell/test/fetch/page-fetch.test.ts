import t, { type Test } from 'tap'
import { createPageFetch, type FetchAttempt, type PageFetchOptions } from '../../src/fetch/page-fetch.ts'
import { openExternalFetch } from '../../src/fetch/external-fetch.ts'
import {
  answer,
  answerLate,
  busy,
  hang,
  hangInBody,
  openUnrulyServer,
  reset,
  resetInBody
} from '@hull/test-helpers/unruly-server.ts'

const backoff = { base: 1, cap: 4 }

async function setUp(t: Test, options: Partial<PageFetchOptions> = {}) {
  const server = await openUnrulyServer(t)
  const externalFetch = openExternalFetch()
  t.teardown(() => externalFetch.destroy())
  const fetch = createPageFetch({
    origin: 'http://own.example',
    inject: async () => {
      throw new Error('not an own route')
    },
    externalFetch,
    backoff,
    ...options
  })
  return { server, fetch, url: `${server.origin}/data?token=secret` }
}

t.test('ctx.fetch of another service', async (t) => {
  t.test('succeeds after one, two or three responses with 503', async (t) => {
    const { server, fetch, url } = await setUp(t)
    for (const times of [1, 2, 3]) {
      server.will(
        ...Array(times).fill(answer(503)),
        answer(200, { 'x-a': 'b', 'set-cookie': ['c=1', 'd=2'] }, '{"n":1}')
      )
      const response = await fetch(url)
      t.ok(response instanceof Response)
      t.match(response, { status: 200, ok: true, url, redirected: false })
      t.equal(response.headers.get('x-a'), 'b')
      t.same(response.headers.getSetCookie(), ['c=1', 'd=2'])
      t.same(await response.json(), { n: 1 })
      t.equal(server.seen.splice(0).length, times + 1)
    }
  })

  t.test('fails after four responses with 503, and its message has no value of the query', async (t) => {
    const { server, fetch, url } = await setUp(t)
    server.will(answer(503))
    await t.rejects(fetch(url), {
      code: 'APP_FETCH_FAILED',
      statusCode: 500,
      message: `GET ${server.origin}/data?token= failed after 4 attempts: answered 503`,
      cause: { statusCode: 503 }
    })
    t.equal(server.seen.length, 4)
  })

  t.test('succeeds after connection resets, before the headers and in the body', async (t) => {
    const { server, fetch, url } = await setUp(t)
    server.will(reset, resetInBody, answer(500), answer(200, {}, 'whole'))
    t.equal(await (await fetch(url)).text(), 'whole')
    t.equal(server.seen.length, 4)
  })

  t.test('fails after four attempts if no server listens', async (t) => {
    const { server, fetch, url } = await setUp(t)
    await server.close()
    await t.rejects(fetch(url), { message: /failed after 4 attempts: fetch failed \(ECONNREFUSED\)$/ })
  })

  t.test('lets a service use nearly the whole timeout, at the first attempt and after a failed one', async (t) => {
    const { server, fetch, url } = await setUp(t, { timeout: 3_000 })
    for (const method of ['GET', 'PUT', 'POST']) {
      server.will(answerLate(1_500, 'slow'))
      t.equal(await (await fetch(url, { method })).text(), 'slow')
      t.equal(server.seen.splice(0).length, 1, `${method}: one attempt`)
    }
    server.will(answer(503), reset, answerLate(1_500, 'slow'))
    t.equal(await (await fetch(url)).text(), 'slow')
  })

  t.test('ends an attempt without a response at the timeout', async (t) => {
    const { server, fetch, url } = await setUp(t, { timeout: 300 })
    for (const behaviour of [hang, hangInBody]) {
      server.will(behaviour)
      await t.rejects(fetch(url), { code: 'APP_FETCH_FAILED', message: /after 1 attempts: not done within 300 ms$/ })
    }
    server.will(answer(502), hang)
    await t.rejects(fetch(url), { message: /after 2 attempts: answered 502; not done within 300 ms$/ })
    await server.abandoned
  })

  t.test('waits for Retry-After, in seconds and as a date, and ignores other values', async (t) => {
    const delays: number[] = []
    const { server, fetch, url } = await setUp(t, {
      onAttempt: ({ delay }) => {
        if (delay !== undefined) delays.push(delay)
      }
    })
    server.will(busy('1'), busy(new Date(Date.now() + 2_500).toUTCString()), busy('as soon as possible'), answer(200))
    t.equal((await fetch(url)).status, 200)
    const [seconds = 0, date = 0, garbage = 9] = delays
    t.ok(seconds >= 1_000 && seconds <= 1_000 + backoff.cap)
    t.ok(date > backoff.cap && date <= 2_500)
    t.ok(garbage <= backoff.cap)
  })

  t.test('fails at once if Retry-After is after the timeout', async (t) => {
    const { server, fetch, url } = await setUp(t)
    server.will(busy('9'))
    await t.rejects(fetch(url), {
      message: /failed after 1 attempts: answered 503; the next attempt would be later than 8000 ms/
    })
    t.equal(server.seen.length, 1)
  })

  t.test('returns 404 after one attempt', async (t) => {
    const { server, fetch, url } = await setUp(t)
    server.will(answer(404, {}, 'no'))
    const response = await fetch(url)
    t.equal(response.status, 404)
    t.equal(await response.text(), 'no')
    t.equal(server.seen.length, 1)
  })

  t.test('never repeats POST and PATCH: returns a 5xx, and fails after a reset', async (t) => {
    const { server, fetch, url } = await setUp(t)
    for (const method of ['POST', 'patch']) {
      server.will(answer(500, {}, 'oh'))
      const response = await fetch(url, { method, body: 'x' })
      t.equal(response.status, 500)
      t.equal(await response.text(), 'oh')
      server.will(reset)
      await t.rejects(fetch(url, { method, body: 'x' }), {
        code: 'APP_FETCH_FAILED',
        message: /failed after 1 attempts/
      })
      t.equal(server.seen.splice(0).length, 2)
    }
  })

  t.test('repeats PUT with the same body of any type', async (t) => {
    const { server, fetch, url } = await setUp(t)
    const form = new FormData()
    form.set('file', new Blob(['content']), 'a.txt')
    for (const body of ['text', Buffer.from('text'), new URLSearchParams({ a: 'b c' }), form]) {
      server.will(answer(503), reset, answer(204))
      const response = await fetch(url, { method: 'PUT', body })
      t.equal(response.status, 204)
      t.equal(await response.text(), '')
      const [first, , third] = server.seen.splice(0)
      t.not(first?.body, '')
      t.equal(third?.body, first?.body)
      t.equal(third?.headers['content-type'], first?.headers['content-type'])
    }
  })

  t.test('sends a stream once', async (t) => {
    const { server, fetch, url } = await setUp(t)
    server.will(answer(503))
    const response = await fetch(url, { method: 'PUT', body: new Blob(['streamed']).stream() })
    t.equal(response.status, 503)
    t.match(server.seen, [{ body: 'streamed' }])
    t.equal(server.seen.length, 1)
  })

  t.test('refuses a body above the limit, and closes the connection', async (t) => {
    const { server, fetch, url } = await setUp(t, { maxBody: 100 })
    server.will(answer(200, {}, 'x'.repeat(100)))
    t.equal((await (await fetch(url)).text()).length, 100)
    server.will(answer(200, {}, 'x'.repeat(101)))
    await t.rejects(fetch(url), { code: 'APP_FETCH_TOO_LARGE', message: /answered more than 100 bytes/ })
    t.equal(server.seen.length, 2)
  })

  t.test('returns the response of HEAD without a body', async (t) => {
    const { server, fetch, url } = await setUp(t)
    server.will(answer(200, { 'content-length': '5' }))
    const response = await fetch(url, { method: 'HEAD' })
    t.equal(response.headers.get('content-length'), '5')
    t.equal(response.body, null)
  })

  t.test('throws as fetch does for invalid arguments, before anything is sent', async (t) => {
    const { server, fetch, url } = await setUp(t)
    await t.rejects(fetch(url, { method: 'TRACE' }), TypeError)
    await t.rejects(fetch(url, { method: 'A B' }), TypeError)
    await t.rejects(fetch(url, { method: 'GET', body: 'x' }), TypeError)
    await t.rejects(fetch(url, { headers: { 'bad name': 'x' } }), TypeError)
    t.equal(server.seen.length, 0)
  })

  t.test('wraps each attempt: the wrapper adds headers, and sees status code and failure', async (t) => {
    const spans: string[] = []
    async function wrapAttempt<T>(attempt: FetchAttempt, run: () => Promise<T>): Promise<T> {
      attempt.addedHeaders.set('x-span', String(attempt.attempt))
      return run().finally(() =>
        spans.push(
          `${attempt.method} ${attempt.url.pathname} ${attempt.attempt}/${attempt.maxAttempts} ${attempt.inProcess}`
        )
      )
    }
    const { server, fetch, url } = await setUp(t, { wrapAttempt })
    server.will(answer(503), answer(200))
    await fetch(url, { headers: { 'x-page': '1' } })
    t.same(spans, ['GET /data 1/4 false', 'GET /data 2/4 false'])
    t.match(server.seen, [{ headers: { 'x-span': '1', 'x-page': '1' } }, { headers: { 'x-span': '2', 'x-page': '1' } }])
  })
})
