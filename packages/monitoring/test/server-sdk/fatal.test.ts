import { parseEnvelope, type Event } from '@sentry/core'
import t, { type Test } from 'tap'
import { THROWN } from '../../../shell/test/fixtures/failures.ts'
import { startChildServer, type ChildServer } from '@hull/test-helpers/child-server.ts'
import type { LogLine } from '@hull/test-helpers/log-recorder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

/** Events that a server has sent. */
function eventsOf({ lines }: ChildServer): Event[] {
  return lines
    .filter(({ msg }) => msg === 'envelope')
    .flatMap(({ envelope }) => parseEnvelope(envelope as string)[1] as Array<[{ type: string }, Event]>)
    .filter(([{ type }]) => type === 'event')
    .map(([, event]) => event)
}

/** Asserts that a server has sent one event, with the digest of its log line and in the request with this path. */
function assertEvent(t: Test, server: ChildServer, path: string, line: LogLine | undefined, expected: object) {
  const events = eventsOf(server)
  t.equal(events.length, 1)
  t.match(events[0], { tags: { digest: line!.digest }, ...expected })
  t.match(line, { digest: /^[0-9A-Z]{12}$/ })
  t.match(events[0]!.contexts!.trace!.trace_id, /^[0-9a-f]{32}$/)
  t.match(
    events[0],
    { transaction: path, request: { url: server.origin + path } },
    'the event names the request in which the error began'
  )
}

t.test('an exception that ends the process is sent before the process exits', async (t) => {
  const server = await startChildServer(t, 'packages/shell/test/fixtures/fatal-server.ts')
  await fetch(`${server.origin}/throw`).catch(() => {})
  t.equal(await server.exited, 1)
  const [line] = server.takeErrors()
  assertEvent(t, server, '/throw', line, {
    level: 'fatal',
    exception: { values: [{ value: 'thrown without a handler', mechanism: { handled: false } }] }
  })
})

t.test('an unhandled rejection is reported, and the process continues', async (t) => {
  const server = await startChildServer(t, 'packages/shell/test/fixtures/fatal-server.ts')
  await fetch(`${server.origin}/reject`)
  const line = await server.logged('unhandled rejection')
  await server.logged('envelope')
  assertEvent(t, server, '/reject', line, {
    level: 'error',
    exception: { values: [{ value: 'rejected without a handler', mechanism: { handled: false } }] }
  })
  t.equal(server.takeErrors().length, 1)
  t.equal((await fetch(`${server.origin}/healthz`)).status, 200)
})

t.test('a rejection with any value is reported as one event', async (t) => {
  const server = await startChildServer(t, 'packages/shell/test/fixtures/fatal-server.ts')
  let count = 0
  for (const what of Object.keys(THROWN)) {
    await fetch(`${server.origin}/reject/${what}`)
    count++
    await eventually(() => eventsOf(server).length === count)
    const [event] = eventsOf(server).slice(-1)
    const [line] = server.takeErrors()
    t.match(event, { tags: { digest: line!.digest }, exception: { values: [{ value: String }] } }, what)
    t.ok(event!.exception!.values!.length <= 10, what)
  }
})
