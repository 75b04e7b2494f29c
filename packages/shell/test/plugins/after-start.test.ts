import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import afterStart from '../../src/plugins/after-start.ts'
import { LogRecorder } from '@hull/test-helpers/log-recorder.ts'

async function createApp(t: Test) {
  const logs = new LogRecorder()
  const app = Fastify({ logger: { stream: logs } })
  t.teardown(() => app.close())
  await app.register(afterStart)
  return { app, logs }
}

t.test('runs callbacks in order after the server listens', async (t) => {
  const { app, logs } = await createApp(t)
  const done: string[] = []
  app.afterStart(async () => {
    await sleep(5)
    done.push('first')
  })
  app.afterStart(() => {
    throw new Error('broken')
  })
  const last = new Promise<void>((resolve) => {
    app.afterStart(() => {
      done.push('last')
      resolve()
    })
  })
  await app.inject('/')
  t.same(done, [], 'an injected request does not wait for the callbacks')
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.same(done, [], '`listen` does not wait for the callbacks')
  await last
  t.same(done, ['first', 'last'])
  t.match(logs.takeErrors(), [{ err: { message: 'broken' } }])
})

t.test('runs no callback if the server is closed at once', async (t) => {
  const { app } = await createApp(t)
  let done = false
  app.afterStart(() => {
    done = true
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  await app.close()
  await sleep(400)
  t.equal(done, false)
})

t.test('logs no error of a callback that the end of the server has interrupted', async (t) => {
  const { app, logs } = await createApp(t)
  const started = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<never>()
  app.afterStart(() => {
    started.resolve()
    return closed.promise
  })
  app.addHook('onClose', async () => closed.reject(new Error('transport was disconnected')))
  await app.listen({ host: '127.0.0.1', port: 0 })
  await started.promise
  await app.close()
  await sleep(0)
  t.same(logs.takeErrors(), [])
})
