import { once } from 'node:events'
import { cachedDataVersionTag } from 'node:v8'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { collectGarbage } from '../src/collect-garbage.ts'

const atStart = cachedDataVersionTag()

t.test('collects an object without references', async (t) => {
  const garbage = new WeakRef(Array.from({ length: 1_000 }, (_, index) => ({ index })))
  // A reference is kept until the end of the event loop turn that created it.
  await new Promise((resolve) => setImmediate(resolve))
  t.ok(garbage.deref())
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  t.equal(garbage.deref(), undefined)
})

t.test('leaves V8 with the flags that its cached code was compiled with', async (t) => {
  collectGarbage()
  t.equal(cachedDataVersionTag(), atStart)
})

t.test('several threads can collect garbage at the same time', async (t) => {
  const code = `import(${JSON.stringify(new URL('../src/collect-garbage.ts', import.meta.url).href)})
    .then(({ collectGarbage }) => { for (let i = 0; i < 10; i++) collectGarbage() })`
  const threads = Array.from({ length: 4 }, () => new Worker(code, { eval: true }))
  t.same(await Promise.all(threads.map((thread) => once(thread, 'exit'))), [[0], [0], [0], [0]])
})
