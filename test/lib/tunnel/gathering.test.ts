import t from 'tap'
import { Gathering } from '../../../lib/tunnel/gathering.ts'
import { openProvider } from '../../helpers/provider.ts'
import { createTunnel } from '../../helpers/tunnel.ts'

const turn = () => new Promise(setImmediate)

/** Says when it is over. */
function watch(promise: Promise<unknown>) {
  const watched = { done: false }
  void promise.then(() => (watched.done = true))
  return watched
}

t.test('who waits alone goes after a while', async () => {
  await new Gathering().join()
})

t.test('many go together, as soon as they are enough', async (t) => {
  const gathering = new Gathering()
  const all = Array.from({ length: 31 }, () => watch(gathering.join()))
  await turn()
  t.notOk(all.some(({ done }) => done))
  all.push(watch(gathering.join()))
  await turn()
  t.ok(all.every(({ done }) => done))
  const next = watch(gathering.join())
  await turn()
  t.notOk(next.done, 'the next begin anew')
  gathering.release()
  await turn()
  t.ok(next.done)
})

const TRANSACTION = '{}\n{"type":"transaction"}\n{}'
const EVENT = '{}\n{"type":"event"}\n{}'

t.test('a transaction goes with the next error', async (t) => {
  const provider = await openProvider(t)
  const { tunnel } = createTunnel(t, { providers: [provider] })
  await tunnel.send(provider.dsn, EVENT)
  const transaction = watch(tunnel.send(provider.dsn, TRANSACTION))
  await turn()
  t.notOk(transaction.done)
  await tunnel.send(provider.dsn, EVENT)
  await turn()
  t.ok(transaction.done)
  await provider.has(3)
})

t.test('what waits is not lost when the tunnel closes', async (t) => {
  const provider = await openProvider(t)
  await provider.goDown()
  const first = createTunnel(t, { providers: [provider] })
  await first.tunnel.send(provider.dsn, EVENT)
  const sent = first.tunnel.send(provider.dsn, TRANSACTION)
  await first.tunnel.close()
  await sent
  await provider.comeBack()
  createTunnel(t, { providers: [provider], file: first.file })
  await provider.has(2)
})
