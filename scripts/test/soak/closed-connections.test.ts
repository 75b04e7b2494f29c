import t from 'tap'
import { startServer } from '@hull/test-helpers/child-server.ts'
import { closeAt, createKinds, MOMENTS, WAYS } from '@hull/test-helpers/closing-clients.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { watchHealth } from '@hull/test-helpers/watched-child.ts'

const COUNT = 10_000

/** Maximum open connections at the same time. */
const AT_ONCE = 16

/** Maximum growth of the heap in bytes, because caches fill and the inbox stores events. A guess. */
const GROWTH = 16 * 1024 ** 2

t.setTimeout(1_800_000)

t.test(`${COUNT} clients that close their connection do not affect other clients`, async (t) => {
  const env = { LAB: 'on', INBOX_PASSWORD, TRACES_SAMPLE_RATE: '1', TUNNEL_RATE: '0' }
  const server = await startServer(t, env, 'packages/shell/test/fixtures/whole-server.ts')
  const health = await watchHealth(server)
  const kinds = createKinds(health.cookie)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

  async function close(count: number) {
    for (let done = 0; done < count; done += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => closeAt(server.port, pick(kinds), pick(MOMENTS), pick(WAYS)))
      )
      await health.check(`${done} closed connections`)
    }
  }

  await close(COUNT / 5)
  await health.settled()
  const before = await health.heap()
  await close(COUNT)
  t.same(await health.settled(), { inFlight: 1, rejections: 0 })
  const grown = (await health.heap()) - before
  t.comment(`the heap grew by ${Math.round(grown / 1024)} KiB`)
  t.ok(grown < GROWTH, `${grown} bytes`)
  t.same(
    server.takeErrors().filter(({ err }) => !(err as Error).message.includes('was asked for')),
    []
  )
})
