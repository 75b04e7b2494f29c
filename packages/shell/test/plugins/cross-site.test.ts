import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import crossSite, { type CrossSiteOptions } from '../../src/plugins/cross-site.ts'

const FOREIGN: Array<Record<string, string>> = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' },
  { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'not an origin' }
]
const OWN: Array<Record<string, string>> = [
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: 'http://localhost' }
]
const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

async function createApp(t: Test, addRoutes: (app: FastifyInstance) => unknown, options: CrossSiteOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(crossSite, options)
  await app.register(async (scope) => addRoutes(scope))
  const ask = (method: InjectOptions['method'], headers: Record<string, string>, url = '/') =>
    app.inject({ method, url, headers }).then(({ statusCode }) => statusCode)
  return { app, ask }
}

t.test('requests from other sites', async (t) => {
  t.test('are refused before the body is read, if their method can change data', async (t) => {
    let parsed = 0
    const { app, ask } = await createApp(t, (app) => {
      app.addHook('preParsing', async () => void parsed++)
      app.route({ method: [...UNSAFE], url: '/', handler: async () => 'done' })
    })
    for (const method of UNSAFE)
      for (const headers of FOREIGN) t.equal(await ask(method, headers), 403, `${method} ${JSON.stringify(headers)}`)
    t.equal(parsed, 0)
    const { body } = await app.inject({ method: 'POST', url: '/', headers: FOREIGN[0], payload: { a: 1 } })
    t.match(JSON.parse(body), { code: 'APP_CROSS_SITE_REQUEST' })
    for (const method of UNSAFE)
      for (const headers of OWN) t.equal(await ask(method, headers), 200, `${method} ${JSON.stringify(headers)}`)
  })

  t.test('are accepted with a safe method, also on a route with other methods', async (t) => {
    const { ask } = await createApp(t, (app) => {
      app.route({ method: ['GET', 'HEAD', 'OPTIONS', 'POST'], url: '/', handler: async () => 'read' })
    })
    for (const method of ['GET', 'HEAD', 'OPTIONS'] as const) t.equal(await ask(method, FOREIGN[0]!), 200, method)
    t.equal(await ask('POST', FOREIGN[0]!), 403)
  })

  t.test('have no hook on routes with safe methods', async (t) => {
    const { app } = await createApp(t, () => {})
    const hooks: unknown[] = []
    app.addHook('onRoute', ({ onRequest }) => void hooks.push(onRequest))
    app.get('/', async () => 'read')
    t.same(hooks, [undefined, undefined], 'of GET and its HEAD')
  })

  t.test('are refused as WebSockets, before the hooks of the route', async (t) => {
    const { ask } = await createApp(t, (app) => {
      const onRequest = async () => {
        throw Object.assign(new Error('no ticket'), { statusCode: 401 })
      }
      app.get('/', { websocket: true, onRequest } as object, async () => 'open')
    })
    const upgrade = { upgrade: 'websocket', connection: 'upgrade' }
    for (const headers of FOREIGN) t.equal(await ask('GET', { ...upgrade, ...headers }), 403, JSON.stringify(headers))
    t.equal(await ask('GET', { ...upgrade, ...OWN[1] }), 401)
  })

  t.test('are accepted from allowed origins, or from all', async (t) => {
    const { ask } = await createApp(t, (app) => {
      const handler = async () => 'done'
      app.post('/some', { config: { allowedOrigins: ['https://shop.example', 'http://localhost:81'] } }, handler)
      app.post('/any', { config: { allowedOrigins: '*' } }, handler)
    })
    const from = (origin: string) => ({ origin, 'sec-fetch-site': 'cross-site' })
    t.equal(await ask('POST', from('https://shop.example'), '/some'), 200)
    t.equal(await ask('POST', { origin: 'http://localhost:81' }, '/some'), 200)
    for (const origin of ['https://shop.example.evil', 'http://shop.example', 'https://shop.example:8443', 'null', ''])
      t.equal(await ask('POST', from(origin), '/some'), 403, origin)
    for (const headers of [...FOREIGN, ...OWN]) t.equal(await ask('POST', headers, '/any'), 200)
  })

  t.test('are recognised by BASE_URL, with any Host header', async (t) => {
    const { ask } = await createApp(t, (app) => app.post('/', async () => 'done'), { baseUrl: 'https://app.example' })
    t.equal(await ask('POST', { host: 'inner:3000', origin: 'https://app.example' }), 200)
    t.equal(await ask('POST', { host: 'evil.example', origin: 'http://evil.example' }), 403)
  })

  t.test('an invalid allowed origin stops the start with a message', async (t) => {
    for (const origin of ['https://shop.example/', 'shop.example', 'https://shop.example/path', '*', 'null']) {
      const config = { allowedOrigins: [origin] }
      const start = createApp(t, (app) => app.post('/hook', { config }, async () => 'done'))
      const message = `allowedOrigins of /hook has "${origin}", which is no origin`
      await t.rejects(start, { code: 'APP_ROUTE_ORIGIN', message: new RegExp(message.replace('*', '\\*')) }, origin)
    }
  })
})
