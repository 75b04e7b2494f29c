import { once } from 'node:events'
import websocket from '@fastify/websocket'
import Fastify from 'fastify'
import t from 'tap'
import { eventually } from '@hull/test-helpers/patience.ts'
import replyClose from '../../src/plugins/reply-close.ts'

t.test('a WebSocket that ends does not count as a visitor who left', async (t) => {
  const ended: Array<[url: string, status: number]> = []
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(websocket)
  app.onReplyClose(({ request: { url }, status }) => ended.push([url, status]))
  app.get('/socket', { websocket: true }, (socket) => socket.close())
  const visitor = new AbortController()
  app.get('/never', () => {
    visitor.abort()
    return new Promise(() => {})
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  await once(new WebSocket(`${origin.replace('http', 'ws')}/socket`), 'close')
  await eventually(() => ended.length === 1)
  await t.rejects(fetch(`${origin}/never`, { signal: visitor.signal }))
  await eventually(() => ended.length === 2)
  t.same(ended, [
    ['/socket', 101],
    ['/never', 499]
  ])
})
