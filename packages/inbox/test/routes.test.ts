import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { sendEvents, thrown } from './helpers/screens.ts'

async function openLive(t: Test) {
  const env = { DATA_DIR: createFolder(t), INBOX_PASSWORD }
  const { app, port } = await createListeningApp(t, { env })
  const admin = await signIn(app)
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const connect = async (headers: Record<string, string> = { cookie }) => {
    const request = get({ port, host: '127.0.0.1', path: '/inbox/live?age=0', headers, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    t.teardown(() => request.destroy())
    return response.setEncoding('utf8')
  }
  return { app, admin, connect }
}

t.test('GET /inbox/live', async (t) => {
  t.test('announces a new issue', async (t) => {
    const { app, connect } = await openLive(t)
    const response = await connect()
    t.equal(response.statusCode, 200)
    t.match(response.headers, { 'content-type': 'text/event-stream', 'cache-control': 'private, no-store' })
    t.equal(response.headers['content-encoding'], undefined)
    let text = ''
    response.on('data', (chunk: string) => (text += chunk))
    await sendEvents(app, [thrown('LiveError')])
    while (!text.includes('data: ')) await once(response, 'data')
    const { issues } = JSON.parse(/data: (.*)/.exec(text)![1]!)
    t.equal(issues.length, 1)
  })

  t.test('requires a sign-in', async (t) => {
    const { connect } = await openLive(t)
    t.equal((await connect({})).statusCode, 401)
    t.equal((await connect({ cookie: `inbox=${'x'.repeat(43)}` })).statusCode, 401)
  })

  t.test('refuses the thirteenth stream of a person, with Retry-After', async (t) => {
    const { connect } = await openLive(t)
    for (let i = 0; i < 12; i++) t.equal((await connect()).statusCode, 200)
    const refused = await connect()
    t.equal(refused.statusCode, 429)
    t.equal(refused.headers['retry-after'], '60')
  })

  t.test('does not delay the shutdown of the server', async (t) => {
    const { app, connect } = await openLive(t)
    const response = await connect()
    response.resume()
    const ended = once(response, 'end')
    const cut = await app.drain.start({ responses: 10_000, functions: 1_000 })
    t.equal(cut, 0, 'no connection had to be cut')
    await ended
  })
})

t.test('with an external provider, the routes of the inbox are not found', async (t) => {
  const { app } = await createListeningApp(t, { env: { SENTRY_DSN: 'https://key@provider.invalid/1' } })
  for (const path of ['/inbox/live', '/inbox/issues/1/markdown', '/inbox/issues/1/payload', '/inbox/attachments/1'])
    t.equal((await app.inject(path)).statusCode, 404, path)
})
