import t from 'tap'
import { currentContext, createContext, runInContext } from '../../src/tracing/context.ts'
import { Batcher } from '../../src/server-sdk/batcher.ts'

/** Creates a batcher, and records the batches that it sends. */
function watch() {
  const sent: number[][] = []
  return { sent, batcher: new Batcher<number>((batch) => void (batch.length > 0 && sent.push(batch))) }
}

t.test('a single transaction is sent after a while', async (t) => {
  const { promise, resolve } = Promise.withResolvers<number[]>()
  const batcher = new Batcher<number>(resolve)
  const keepAlive = setInterval(() => {}, 1_000)
  batcher.add(1)
  t.same(await promise, [1])
  clearInterval(keepAlive)
})

t.test('32 transactions are sent together at once', async (t) => {
  const { batcher, sent } = watch()
  for (let n = 1; n < 32; n++) batcher.add(n)
  t.same(sent, [])
  batcher.add(32)
  t.equal(sent[0]!.length, 32)
  batcher.add(33)
  t.equal(sent.length, 1, 'the next transaction begins a new batch')
  batcher.release()
  t.same(sent[1], [33])
  batcher.release()
  t.equal(sent.length, 2)
})

t.test('batches are sent outside of the context of a request', async (t) => {
  const seen: unknown[] = []
  const batcher = new Batcher<number>(() => seen.push(currentContext()))
  runInContext(createContext({}), () => {
    batcher.add(1)
    batcher.release()
  })
  t.same(seen, [undefined])
})
