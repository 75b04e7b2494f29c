import createError from '@fastify/error'
import t from 'tap'
import { visibleError } from '../../../common/src/visible-error.ts'
import type { StreamSink } from '../../src/delivery/envelope-sink.ts'
import { THROWN } from '../../../shell/test/fixtures/failures.ts'
import { toEnvelope } from '@hull/test-helpers/envelopes.ts'
import { openTunnel } from '@hull/test-helpers/monitoring.ts'

const EVENT = '{"type":"event"}\n{"message":"secret"}\n'
const ID = 'ccacc961cef246dcbbf55edf6b79b7f3'

t.test("responds with the sink's rate limits", async (t) => {
  const { post, files } = await openTunnel(t)
  t.equal((await post(toEnvelope(EVENT))).headers.get('x-sentry-rate-limits'), null)
  files.limits = '60:replay;profile:organization, 5::key'
  const { status, headers } = await post(toEnvelope(EVENT))
  t.equal(status, 200)
  t.equal(headers.get('x-sentry-rate-limits'), '60:replay;profile:organization, 5::key')
  t.match(headers.get('access-control-expose-headers'), 'x-sentry-rate-limits')
})

t.test('responds only after the envelope is stored', async (t) => {
  const { promise: stored, resolve: store } = Promise.withResolvers<void>()
  const seen: string[] = []
  const sink: StreamSink = {
    begin: () => ({
      write: () => undefined,
      commit: () => {
        seen.push('commit')
        return stored
      },
      abort: () => {}
    }),
    rateLimits: () => undefined
  }
  const { post } = await openTunnel(t, { sink })
  const responded = post(toEnvelope(EVENT)).then(() => seen.push('response'))
  while (seen.length === 0) await new Promise(setImmediate)
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.same(seen, ['commit'])
  store()
  await responded
  t.same(seen, ['commit', 'response'])
})

t.test('returns 503 with Retry-After if the sink fails, and writes the cause only to the log', async (t) => {
  const full = Object.assign(new Error('disk full'), { code: 'ENOSPC' })
  const fail = () => {
    throw full
  }
  let aborted = 0
  const writer = { write: () => undefined, commit: async () => {}, abort: () => void aborted++ }
  const failing: Record<string, StreamSink> = {
    'when it begins an envelope': { begin: fail, rateLimits: () => undefined },
    'when a write throws': { begin: () => ({ ...writer, write: fail }), rateLimits: () => undefined },
    'when a write rejects': { begin: () => ({ ...writer, write: async () => fail() }), rateLimits: () => undefined },
    'when commit rejects': { begin: () => ({ ...writer, commit: async () => fail() }), rateLimits: () => undefined },
    'when commit throws': { begin: () => ({ ...writer, commit: fail }), rateLimits: () => undefined }
  }
  for (const [name, sink] of Object.entries(failing)) {
    const { post, lines, counted } = await openTunnel(t, { sink })
    const response = await post(toEnvelope(EVENT, { event_id: ID }))
    t.equal(response.status, 503, name)
    t.equal(response.headers.get('retry-after'), '5')
    const message = response.headers.get('x-sentry-error')
    t.match(message, 'APP_MONITORING_SPOOL_UNAVAILABLE: ')
    t.notMatch(message, 'disk full')
    t.equal(await response.text(), '')
    t.match(lines(), [{ level: 50, code: 'APP_MONITORING_SPOOL_UNAVAILABLE', err: { message: /disk full/ } }])
    t.equal(await counted('failed', 'APP_MONITORING_SPOOL_UNAVAILABLE'), 1)
  }
  t.equal(aborted, 2, 'each envelope that was begun and not committed is aborted')
})

t.test('hides errors of libraries, whatever their status, and returns visible errors', async (t) => {
  const Library = createError('FST_ERR_LIBRARY', 'secret of a library', 400)
  const errors = [
    ['an error of a library with a code', new Library(), 503, /^APP_MONITORING_SPOOL_UNAVAILABLE: /],
    [
      'an error with a status',
      Object.assign(new Error('secret'), { statusCode: 413 }),
      503,
      /^APP_MONITORING_SPOOL_UNAVAILABLE: /
    ],
    ['a hostile value', THROWN.proxy!(), 503, /^APP_MONITORING_SPOOL_UNAVAILABLE: /],
    ['a visible error', visibleError('SHOP_FULL', 'Voilà: no\nmore', 409), 409, /^SHOP_FULL: Voil\?: no\?more$/]
  ] as const
  for (const [what, error, status, message] of errors) {
    const writer = { write: () => undefined, commit: async () => {}, abort: () => {} }
    const rateLimits = () => {
      throw error
    }
    const { post, lines } = await openTunnel(t, { sink: { begin: () => writer, rateLimits } })
    const response = await post(toEnvelope(EVENT))
    t.equal(response.status, status, what)
    t.match(response.headers.get('x-sentry-error'), message)
    t.notMatch(response.headers.get('x-sentry-error'), 'secret')
    t.match(lines(), [{ level: status === 503 ? 50 : 40 }])
  }
})

t.test('does not write to the sink while a write is pending', async (t) => {
  let waiting = false
  let pieces = 0
  let early = 0
  const sink: StreamSink = {
    begin: () => ({
      write: () => {
        if (waiting) early++
        waiting = true
        pieces++
        return new Promise((resolve) =>
          setTimeout(() => {
            waiting = false
            resolve()
          }, 2)
        )
      },
      commit: async () => {
        if (waiting) early++
      },
      abort: () => {}
    }),
    rateLimits: () => undefined
  }
  const { post } = await openTunnel(t, { sink })
  const large = toEnvelope(`{"type":"attachment"}\n${'x'.repeat(5 * 1024 ** 2)}`)
  t.equal((await post(large)).status, 200)
  t.ok(pieces > 10, `${pieces} pieces`)
  t.equal(early, 0)
})
