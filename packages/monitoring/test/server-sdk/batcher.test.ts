import t from 'tap'
import { currentContext, createContext, runInContext } from '../../src/tracing/context.ts'
import { Batcher } from '../../src/server-sdk/batcher.ts'

/** The batches that were sent. */
function watch() {
  const gone: number[][] = []
  return { gone, batcher: new Batcher<number>((things) => void (things.length > 0 && gone.push(things))) }
}

t.test('a single transaction is sent after a while', async (t) => {
  const { promise, resolve } = Promise.withResolvers<number[]>()
  const batcher = new Batcher<number>(resolve)
  const keepAlive = setInterval(() => {}, 1_000)
  batcher.add(1)
  t.same(await promise, [1])
  clearInterval(keepAlive)
})

t.test('many go together, as soon as they are enough', async (t) => {
  const { batcher, gone } = watch()
  for (let n = 1; n < 32; n++) batcher.add(n)
  t.same(gone, [])
  batcher.add(32)
  t.equal(gone[0]!.length, 32)
  batcher.add(33)
  t.equal(gone.length, 1, 'the next begin anew')
  batcher.release()
  t.same(gone[1], [33])
  batcher.release()
  t.equal(gone.length, 2)
})

t.test('sending belongs to no request', async (t) => {
  const seen: unknown[] = []
  const batcher = new Batcher<number>(() => seen.push(currentContext()))
  runInContext(createContext({}), () => {
    batcher.add(1)
    batcher.release()
  })
  t.same(seen, [undefined])
})
