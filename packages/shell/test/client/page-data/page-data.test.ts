import t, { type Test } from 'tap'
import { requestPage } from '../../../src/client/page-data/page-data.ts'
import { answer, openUnrulyServer, reset, type Behaviour } from '@hull/test-helpers/unruly-server.ts'

const PAYLOAD = {
  build: 'b1',
  page: '/pages/a.tsx',
  pathname: '/a',
  params: {},
  data: null,
  layouts: [],
  layoutData: [],
  meta: {}
}
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const PLAIN = { ...JSON_TYPE, 'x-payload-codec': 'json' }
const RICH = { ...JSON_TYPE, 'x-payload-codec': 'devalue' }
const STREAM = { ...JSON_TYPE, 'x-payload-codec': 'stream' }
const PROBLEM = { 'content-type': 'application/problem+json' }
/** `{ ...PAYLOAD, data: { late: Promise } }` encoded by devalue. */
const LATE =
  '[{"build":1,"page":2,"pathname":3,"params":4,"data":5,"layouts":8,"layoutData":8,"meta":4},"b1","/pages/a.tsx","/a",{},{"late":6},["Late",7],1,[]]'

/** Starts a server, and resolves the paths of `fetch` against it. Outside of a browser, `fetch` needs an origin. */
async function open(t: Test, ...behaviours: Behaviour[]) {
  const server = await openUnrulyServer(t)
  server.will(...behaviours)
  const native = globalThis.fetch
  globalThis.fetch = (path, init) => native(new URL(path as string, server.origin), init)
  t.teardown(() => (globalThis.fetch = native))
  return { server, ask: (signal = new AbortController().signal) => requestPage({ path: '/a?b', signal }) }
}

t.test('requests page data with the prefix of page data, as JSON', async (t) => {
  const { server, ask } = await open(t, answer(200, PLAIN, JSON.stringify(PAYLOAD)))
  t.match(await ask(), { kind: 'page', payload: PAYLOAD, status: 200, size: JSON.stringify(PAYLOAD).length })
  t.match(server.seen, [{ method: 'GET', url: '/-/data/a?b', headers: { accept: 'application/json' } }])
})

t.test('posts a form to the page itself', async (t) => {
  const { server } = await open(t, answer(422, PLAIN, JSON.stringify(PAYLOAD)))
  const { signal } = new AbortController()
  t.match(await requestPage({ path: '/a', signal, body: new URLSearchParams({ c: 'd' }) }), {
    kind: 'page',
    status: 422
  })
  t.match(server.seen, [{ method: 'POST', url: '/a', body: 'c=d' }])
})

t.test('posts a form on a page whose path begins with two slashes to this origin', async (t) => {
  const { server } = await open(t, answer(404, PROBLEM, '{}'))
  const { signal } = new AbortController()
  await requestPage({ path: '//other.invalid/a', signal, body: new URLSearchParams({ c: 'd' }) })
  t.match(server.seen, [{ method: 'POST', url: '//other.invalid/a' }])
})

t.test('returns a redirect, and whether it replaces the history entry', async (t) => {
  const { ask } = await open(
    t,
    answer(200, JSON_TYPE, '{"redirect":"/b"}'),
    answer(200, JSON_TYPE, '{"redirect":"/b","replace":true}')
  )
  t.same(await ask(), { kind: 'redirect', to: '/b', replace: false })
  t.same(await ask(), { kind: 'redirect', to: '/b', replace: true })
})

t.test('returns the fallback page of a problem', async (t) => {
  const { ask } = await open(
    t,
    answer(404, PROBLEM, JSON.stringify({ payload: JSON.stringify({ ...PAYLOAD, page: null }), codec: 'json' }))
  )
  t.match(await ask(), { kind: 'page', status: 404, payload: { page: null } })
})

t.test('returns the detail of a problem without a page', async (t) => {
  const { ask } = await open(
    t,
    answer(413, PROBLEM, '{"detail":"It is too large."}'),
    answer(500, PROBLEM, '{"detail":7}')
  )
  t.same(await ask(), { kind: 'unknown', status: 413, detail: 'It is too large.' })
  t.same(await ask(), { kind: 'unknown', status: 500, detail: undefined })
})

t.test('returns a payload before its late values', async (t) => {
  let finish = () => {}
  const { ask } = await open(t, (response) => {
    response.writeHead(200, STREAM).write(`${LATE}\n[1,tr`)
    finish = () => response.end('ue,"[\\"here\\"]"]\n')
  })
  const page = await ask()
  if (page.kind !== 'page') return t.fail('the result is not a page')
  t.equal(page.late.isSettled, false)
  finish()
  t.equal(await (page.payload.data as { late: Promise<string> }).late, 'here')
  t.equal(page.late.isSettled, true)
})

t.test('rejects late values that are missing at the end of the stream', async (t) => {
  const { ask } = await open(t, answer(200, RICH, LATE))
  const whole = await ask()
  if (whole.kind !== 'page') return t.fail('the result is not a page')
  await t.rejects((whole.payload.data as { late: Promise<string> }).late, { name: 'ServerFailure' })
  for (const end of [
    (response) => response.end(),
    (response) => response.end('[1,tr'),
    (response) => response.socket?.resetAndDestroy()
  ] as Behaviour[]) {
    const { ask } = await open(t, (response) => {
      response.writeHead(200, STREAM).write(`${LATE}\n`, () => setTimeout(end, 20, response))
    })
    const page = await ask()
    if (page.kind !== 'page') return t.fail('the result is not a page')
    await t.rejects((page.payload.data as { late: Promise<string> }).late, { name: 'ServerFailure' })
  }
})

t.test("returns the status code of a response that is not Hull's", async (t) => {
  const strangers: Behaviour[] = [
    answer(200, { 'content-type': 'text/html' }, '<p>'),
    answer(200, JSON_TYPE, '{'),
    answer(200, JSON_TYPE, 'null'),
    answer(200, PLAIN, ''),
    answer(200, PLAIN, '{}'),
    answer(200, PLAIN, JSON.stringify({ ...PAYLOAD, params: null })),
    answer(200, PLAIN, JSON.stringify({ ...PAYLOAD, layouts: ['default'] })),
    answer(200, RICH, '[['),
    answer(200, RICH, ''),
    answer(200, STREAM, '[['),
    answer(200, STREAM, ''),
    answer(200, { ...JSON_TYPE, 'x-payload-codec': 'other' }, JSON.stringify(PAYLOAD))
  ]
  const { ask } = await open(t, ...strangers)
  for (const i of strangers.keys()) t.match(await ask(), { kind: 'unknown', status: 200 }, String(i))
})

t.test('throws if there is no response, or with the reason of the signal', async (t) => {
  const { ask } = await open(t, reset)
  await t.rejects(ask(), TypeError)
  await t.rejects(ask(AbortSignal.abort(new Error('the visitor left'))), { message: 'the visitor left' })
})
