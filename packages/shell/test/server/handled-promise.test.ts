import t from 'tap'
import { toHandledPromise } from '../../src/server/handled-promise.ts'

async function fail(toError: () => unknown): Promise<never> {
  await new Promise(setImmediate)
  throw toError()
}

const begin = (toError: () => unknown): Promise<never> => toHandledPromise(fail(toError), begin)

t.test('the stack of an error names the functions that started the failed work', async (t) => {
  const readsPrices = async () => await begin(() => new Error('no prices'))
  const stack = await readsPrices().catch(({ stack }: Error) => stack)
  t.match(stack, /no prices(?:\n.*)+\bfail\b(?:.*\n)+.*\breadsPrices\b/)
})

t.test('any rejection is passed on unchanged', async (t) => {
  const proxy = new Proxy(new Error('p'), {
    set() {
      throw new Error('trap')
    }
  })
  for (const error of [undefined, null, 'text', 7, Object.freeze(new Error('frozen')), proxy])
    t.equal(await begin(() => error).catch((caught: unknown) => caught), error)
})

t.test('a rejection without a listener is not an unhandled rejection', async (t) => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  void begin(() => new Error('alone'))
  void begin(() => new Error('then')).then(() => {})
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.same(rejections, [])
})
