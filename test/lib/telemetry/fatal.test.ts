import { parseEnvelope, type Event } from '@sentry/core'
import t from 'tap'
import { startChildServer } from '../../helpers/child-server.ts'

for (const [path, message] of [
  ['/throw', 'thrown in vain'],
  ['/reject', 'rejected in vain']
]) {
  t.test(`an error that ends the process leaves before it does: ${path}`, async (t) => {
    const server = await startChildServer(t, 'fatal-server.ts')
    await fetch(server.origin + path).catch(() => {})
    t.equal(await server.exited, 1)
    const [line] = server.lines.filter(({ level }) => level === 60)
    const events = server.lines
      .filter(({ msg }) => msg === 'envelope')
      .flatMap(({ envelope }) => parseEnvelope(envelope as string)[1] as Array<[{ type: string }, Event]>)
      .filter(([{ type }]) => type === 'event')
      .map(([, event]) => event)
    t.equal(events.length, 1)
    t.match(events[0], {
      level: 'fatal',
      tags: { digest: line!.digest },
      exception: { values: [{ value: message, mechanism: { handled: false } }] }
    })
    t.match(line, { digest: /^[0-9A-Z]{12}$/ })
    t.match(events[0]!.contexts!.trace!.trace_id, /^[0-9a-f]{32}$/)
    t.match(
      events[0],
      { transaction: path, request: { url: server.origin + path } },
      'the request it began in is known'
    )
  })
}
