// Runs in a process of its own: it looks at the subscribers of its process.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { CHANNELS, type PageMessage, type WorkMessage } from '../../../common/src/channels.ts'
import { publishWork } from '../../src/server/publish.ts'
import { notFound, redirect } from '../../../common/src/outcomes.ts'

const server = Fastify()
const message = (): PageMessage => ({ server, request: undefined, name: 'n' })

/** Records the events of `hull:data`, one line per event. */
function record(t: Test) {
  const lines: string[] = []
  const note = (event: string) => (message: WorkMessage) => {
    lines.push(`${event} ${'result' in message ? `result ${message.result}` : 'error' in message ? 'error' : '-'}`)
  }
  const subscribers = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error')
  }
  CHANNELS.data.subscribe(subscribers as never)
  t.teardown(() => CHANNELS.data.unsubscribe(subscribers as never))
  return lines
}

t.test('work', async (t) => {
  t.test('that is synchronous publishes its result at its end', async (t) => {
    const lines = record(t)
    t.equal(
      publishWork(CHANNELS.data, message(), () => 1),
      1
    )
    t.same(lines, ['start -', 'end result 1'])
  })

  t.test('that is asynchronous publishes its result after its promise has settled', async (t) => {
    const lines = record(t)
    t.equal(await publishWork(CHANNELS.data, message(), async () => turn(2)), 2)
    t.same(lines, ['start -', 'end -', 'asyncStart result 2', 'asyncEnd result 2'])
  })

  t.test('throws the error of its function, and publishes it', async (t) => {
    const lines = record(t)
    const error = new Error('no')
    const fail = () => {
      throw error
    }
    t.throws(() => publishWork(CHANNELS.data, message(), fail), error)
    await t.rejects(
      publishWork(CHANNELS.data, message(), async () => Promise.reject(error)),
      error
    )
    t.same(lines, [
      'start -',
      'error error',
      'end error',
      'start -',
      'end -',
      'error error',
      'asyncStart error',
      'asyncEnd error'
    ])
  })

  t.test('that throws a redirect or a refusal is marked as expected, with the status code of a refusal', async (t) => {
    record(t)
    const refused = message()
    t.throws(() => publishWork(CHANNELS.data, refused, () => notFound()))
    t.match(refused, { expected: true, status: 404 })
    const redirected = message()
    t.throws(() => publishWork(CHANNELS.data, redirected, () => redirect('/x')))
    t.match(redirected, { expected: true, status: undefined })
    const failed = message()
    t.throws(() =>
      publishWork(CHANNELS.data, failed, () => {
        throw new Error('no')
      })
    )
    t.equal(failed.expected, undefined)
  })

  t.test('runs in the context that a subscriber binds', async (t) => {
    const storage = new AsyncLocalStorage<string>()
    CHANNELS.data.start.bindStore(storage as never, (({ name }: PageMessage) => name) as never)
    t.teardown(() => CHANNELS.data.start.unbindStore(storage as never))
    const seen = await publishWork(CHANNELS.data, message(), async () => {
      await turn()
      return storage.getStore()
    })
    t.equal(seen, 'n')
    t.equal(storage.getStore(), undefined)
  })

  t.test('only calls the function if there is no subscriber', async (t) => {
    const silent = message()
    publishWork(CHANNELS.data, silent, () => 1)
    t.notOk('result' in silent)
  })
})
