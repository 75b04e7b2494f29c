import t from 'tap'
import { LazyValue } from '../src/lazy-value.ts'

t.test('a value is loaded once, and again after a failure', async (t) => {
  const results = ['EMFILE', 'EMFILE', undefined]
  let loads = 0
  const value = new LazyValue(async () => {
    loads++
    const failure = results.shift()
    if (failure !== undefined) throw new Error(failure)
    return 'loaded'
  })
  t.equal(await value.peek(), undefined)
  t.equal(loads, 0, 'a look loads nothing')
  await Promise.all([t.rejects(value.get(), { message: 'EMFILE' }), t.rejects(value.get(), { message: 'EMFILE' })])
  t.equal(loads, 1, 'uses at the same time share a load')
  const second = t.rejects(value.get(), { message: 'EMFILE' })
  t.equal(await value.peek(), undefined)
  await second
  t.equal(await value.get(), 'loaded')
  t.equal(await value.get(), 'loaded')
  t.equal(await value.peek(), 'loaded')
  t.equal(loads, 3)
})
