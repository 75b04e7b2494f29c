import t from 'tap'
import { THROWN } from '../fixtures/failures.ts'
import { startServer, type ChildServer } from '@hull/test-helpers/child-server.ts'
import type { LogLine } from '@hull/test-helpers/log-recorder.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { watchHealth } from '@hull/test-helpers/watched-child.ts'

const start = () => startServer(t, { LAB: 'on', INBOX_PASSWORD }, 'packages/shell/test/fixtures/whole-server.ts')

/** Returns the error lines since the last call. */
function takeErrors({ takeErrors, lines }: ChildServer) {
  const errors = takeErrors()
  lines.length = 0
  return errors as Array<LogLine & { digest: string; err: { message: string; stack: string } }>
}

t.test('any value that code throws or rejects with', async (t) => {
  const server = await start()
  const health = await watchHealth(server)
  let count = 0

  for (const what of Object.keys(THROWN)) {
    t.test(`${what} as an unhandled rejection is logged, and the server continues`, async (t) => {
      const response = await fetch(`${server.origin}/reject/${what}`)
      t.equal(await response.text(), 'ok')
      await health.check(what)
      await server.logged('unhandled rejection')
      const errors = takeErrors(server)
      t.match(errors, [
        { level: 50, msg: 'unhandled rejection', digest: /^[0-9A-Z]{12}$/, err: { message: String, stack: String } }
      ])
      t.match(errors[0], { reqId: String, trace_id: /^[0-9a-f]{32}$/ }, 'the line has its request and trace')
      t.equal((await health.read()).get('unhandled_rejections_total'), ++count)
    })

    t.test(`${what}, thrown by a route, is a 500 with one digest`, async (t) => {
      for (const accept of ['text/html', 'application/json']) {
        const response = await fetch(`${server.origin}/throw/${what}`, { headers: { accept } })
        const body = await response.text()
        t.equal(response.status, 500, accept)
        await server.logged('request failed')
        const errors = takeErrors(server)
        t.equal(errors.length, 1, accept)
        t.match(body, errors[0]!.digest, `${accept}: the response has the digest of the log line`)
        t.notMatch(body, /an error|duplicate key|a string|getter|trap/)
        if (accept === 'application/json') t.match(JSON.parse(body), { code: 'APP_INTERNAL', status: 500 })
      }
      await health.check(what)
    })
  }
})

t.test('many rejections are counted, and only a few of them are logged', async (t) => {
  const server = await start()
  const health = await watchHealth(server)
  const before = await health.heap()
  for (let i = 0; i < 8; i++) await fetch(`${server.origin}/flood`)
  await health.check('the flood')
  const metrics = await health.read()
  t.equal(metrics.get('unhandled_rejections_total'), 40_000)
  const grown = (await health.heap()) - before
  t.ok(grown < 12_000_000, `the request does not keep its 5,000 errors of 3 KB in memory: ${grown} bytes`)
  t.equal((await fetch(`${server.origin}/reject/error`)).status, 200)
  await eventually(() => server.lines.some(({ err }) => (err as Error | undefined)?.message === 'an error'))
  const errors = takeErrors(server) as Array<{ omitted?: number }>
  t.ok(errors.length > 1 && errors.length < 50, `${errors.length} lines`)
  t.equal(
    errors.reduce((sum, { omitted = 0 }) => sum + omitted + 1, 0),
    40_001,
    'each line has the number of omitted lines before it'
  )
})
