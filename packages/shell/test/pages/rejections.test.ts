import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { startFaultyServer } from '@hull/test-helpers/faults.ts'
import { hang, openUnrulyServer, reset } from '@hull/test-helpers/unruly-server.ts'

const server = await startFaultyServer(t, '2s')
const { get, checkAlive } = server

const failures = () => server.lines.filter(({ msg }) => msg === 'request failed')

t.test('a layout that refuses while the data of its page is loading', async (t) => {
  for (const [how, status] of [
    ['at-once', 404],
    ['later', 500]
  ] as const) {
    for (const prefix of ['', '/-/data']) {
      const url = `${prefix}/reject/layout?layout=${how}`
      t.equal((await get(url)).status, status, url)
      await wait(20)
      await checkAlive(t, url)
    }
  }
})

t.test('calls of ctx.fetch and ctx.retry whose result is no longer awaited', async (t) => {
  const upstream = await openUnrulyServer(t)
  const url = (end: string) => `/reject/fetch?end=${end}&from=${encodeURIComponent(upstream.origin)}`

  t.test('because the first call failed', async (t) => {
    upstream.will(reset)
    t.equal((await get(url('await'))).status, 500)
    await wait(50)
    await checkAlive(t, 'the first call failed')
  })

  t.test('because the page is not found', async (t) => {
    upstream.will(reset)
    t.equal((await get(url('not-found'))).status, 404)
    await wait(50)
    await checkAlive(t, 'notFound()')
  })

  t.test('because the visitor has left', async (t) => {
    upstream.will(hang)
    await t.rejects(get(url('wait'), AbortSignal.timeout(100)))
    await upstream.abandoned
    await checkAlive(t, 'the visitor left')
  })

  t.test('because RENDER_TIMEOUT has passed', async (t) => {
    upstream.will(hang)
    t.equal((await get(url('wait'))).status, 500)
    t.match(failures().at(-1), { err: { code: 'APP_RENDER_TIMEOUT' } })
    await checkAlive(t, 'RENDER_TIMEOUT')
  })
})

for (const name of [
  'frozen',
  'proxied',
  'revoked',
  'circular',
  'deep',
  'hostile getter',
  'string',
  'nothing',
  'at once',
  'frozen promise',
  'getter of promises',
  'other names'
]) {
  t.test(`a promise in the data that is rejected: ${name}`, async (t) => {
    for (const prefix of ['', '/-/data']) {
      const { length } = failures()
      const { body, status } = await get(`${prefix}/reject/deferred?case=${encodeURIComponent(name)}`)
      t.ok(status === 200 || status === 500, `${prefix} has a response`)
      t.notMatch(body, 'secret')
      const lines = failures().slice(length)
      t.equal(lines.length, 1, 'one log line')
      t.match(body, String(lines[0]?.digest), 'with the digest that the browser receives')
      await checkAlive(t, name)
    }
  })
}

t.test('getMeta that returns a promise which is rejected', async (t) => {
  for (const url of ['/reject/meta', '/reject/both-metas?meta=later'])
    for (const prefix of ['', '/-/data']) {
      const { status, body } = await get(prefix + url)
      t.equal(status, 500, url)
      t.notMatch(body, 'secret')
      await checkAlive(t, url)
    }
})
