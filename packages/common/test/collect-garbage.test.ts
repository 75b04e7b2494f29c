import { cachedDataVersionTag } from 'node:v8'
import t from 'tap'
import { collectGarbage } from '../src/collect-garbage.ts'

const atStart = cachedDataVersionTag()

t.test('collects what nothing refers to', async (t) => {
  const garbage = new WeakRef(Array.from({ length: 1_000 }, (_, index) => ({ index })))
  // A reference is kept until the end of the turn that made it.
  await new Promise((resolve) => setImmediate(resolve))
  t.ok(garbage.deref())
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  t.equal(garbage.deref(), undefined)
})

t.test('leaves V8 with the flags of its cached code', async (t) => {
  collectGarbage()
  t.equal(cachedDataVersionTag(), atStart)
})
