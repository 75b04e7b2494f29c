import t from 'tap'
import { startServer } from '@hull/test-helpers/child-server.ts'
import { closeAt, createKinds, MOMENTS, WAYS } from '@hull/test-helpers/closing-clients.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { watchHealth } from '@hull/test-helpers/watched-child.ts'

t.test('clients that close their connection at any moment of any request do not affect other clients', async (t) => {
  const env = { LAB: 'on', INBOX_PASSWORD, TRACES_SAMPLE_RATE: '1' }
  const server = await startServer(t, env, 'packages/shell/test/fixtures/whole-server.ts')
  const health = await watchHealth(server)
  for (const kind of createKinds(health.cookie)) {
    for (const moment of MOMENTS) {
      await Promise.all(WAYS.map((way) => closeAt(server.port, kind, moment, way)))
      await health.check(`${kind.name}, closed ${moment}`)
    }
  }
  t.same(await health.settled(), { inFlight: 1, rejections: 0 })
  t.same(
    server.takeErrors().filter(({ err }) => !(err as Error).message.includes('was asked for')),
    [],
    'only the page that fails logs an error'
  )
})
