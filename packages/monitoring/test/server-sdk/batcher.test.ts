import t from 'tap'
import { currentContext, createContext, runInContext } from '../../src/tracing/context.ts'
import { Gathering } from '../../src/server-sdk/batcher.ts'

/** What went, together with what. */
function watch() {
  const gone: number[][] = []
  return { gone, gathering: new Gathering<number>((things) => void (things.length > 0 && gone.push(things))) }
}

t.test('who waits alone goes after a while', async (t) => {
  const { promise, resolve } = Promise.withResolvers<number[]>()
  const gathering = new Gathering<number>(resolve)
  const keepAlive = setInterval(() => {}, 1_000)
  gathering.add(1)
  t.same(await promise, [1])
  clearInterval(keepAlive)
})

t.test('many go together, as soon as they are enough', async (t) => {
  const { gathering, gone } = watch()
  for (let n = 1; n < 32; n++) gathering.add(n)
  t.same(gone, [])
  gathering.add(32)
  t.equal(gone[0]!.length, 32)
  gathering.add(33)
  t.equal(gone.length, 1, 'the next begin anew')
  gathering.release()
  t.same(gone[1], [33])
  gathering.release()
  t.equal(gone.length, 2)
})

t.test('what goes belongs to no request', async (t) => {
  const seen: unknown[] = []
  const gathering = new Gathering<number>(() => seen.push(currentContext()))
  runInContext(createContext({}), () => {
    gathering.add(1)
    gathering.release()
  })
  t.same(seen, [undefined])
})
