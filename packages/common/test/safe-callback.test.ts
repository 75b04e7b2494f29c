import { EventEmitter, once } from 'node:events'
import t from 'tap'
import { createContext, currentContext, runInContext } from '../src/async-context.ts'
import { safeCallback } from '../src/safe-callback.ts'

t.test('an error in a callback becomes an unhandled rejection in the context of the callback', async (t) => {
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  t.teardown(() => {
    for (const listener of others) process.on('unhandledRejection', listener)
  })
  const emitter = new EventEmitter()
  const seen: string[] = []
  const error = new Error('thrown')
  emitter.on(
    'event',
    safeCallback(function (this: EventEmitter, text: string) {
      t.equal(this, emitter)
      seen.push(text)
      throw error
    })
  )
  emitter.on('event', (text: string) => seen.push(`next ${text}`))
  const context = createContext({})
  const rejected = once(process, 'unhandledRejection').then(([reason]) => reason as unknown)
  let handledIn: unknown
  process.once('unhandledRejection', () => {
    handledIn = currentContext()
  })
  runInContext(context, () => emitter.emit('event', 'a'))
  t.same(seen, ['a', 'next a'], 'later listeners run')
  t.equal(await rejected, error)
  t.equal(handledIn, context)
})
