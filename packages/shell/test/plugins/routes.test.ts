import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import routes from '../../src/plugins/routes.ts'

/** Returns the source of a file with one route. */
const answer = (path: string, text: string) =>
  `export default async (app: { get: Function }) => { app.get('${path}', async () => '${text}') }\n`

async function createApp(t: Test, files: Record<string, string>) {
  const folder = createFolder(t)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(routes, { folder })
  return app
}

t.test('routes', async (t) => {
  t.test('each file is a plugin with the prefix of its folders', async (t) => {
    const app = await createApp(t, {
      'top.ts': answer('/top', 'top'),
      'api/orders.ts': answer('/orders', 'orders'),
      'api/v2/orders.ts': answer('/orders', 'newer orders'),
      'api/users/index.ts': `export { text } from './text.ts'\n${answer('/', 'users')}`,
      'api/users/text.ts': `export const text = 'no plugin, because there is an index.ts'\n`,
      'hooks/index.ts': `export const autoPrefix = '/webhooks'\n${answer('/paid', 'paid')}`,
      'types.d.ts': 'export type Text = string\n'
    })
    const expected = {
      '/top': 'top',
      '/api/orders': 'orders',
      '/api/v2/orders': 'newer orders',
      '/api/users': 'users',
      '/webhooks/paid': 'paid'
    }
    for (const [url, body] of Object.entries(expected)) t.equal((await app.inject(url)).body, body, url)
  })

  t.test('a link that would not be loaded stops the start with a message', async (t) => {
    const folder = createFolder(t, { 'orders.ts': answer('/', 'orders'), 'notes.md': '' })
    mkdirSync(join(folder, 'shared/v2'), { recursive: true })
    mkdirSync(join(folder, 'routes/api'), { recursive: true })
    const start = async () => Fastify().register(routes, { folder: join(folder, 'routes') })
    const link = (to: string, name: string) => symlinkSync(join(folder, to), join(folder, 'routes', name))
    link('notes.md', 'api/notes.md')
    link('missing.ts', 'api/missing.ts')
    await start()
    link('orders.ts', 'api/orders.ts')
    await t.rejects(start, { code: 'APP_ROUTE_LINKED', message: /routes\/api\/orders\.ts: a symbolic link/ })
    // Not loaded by itself, as any file beside an index.
    writeFileSync(join(folder, 'routes/api/index.ts'), answer('/', 'index'))
    await start()
    link('shared', 'api/shared')
    await t.rejects(start, { code: 'APP_ROUTE_LINKED', message: /routes\/api\/shared: a symbolic link/ })
  })

  t.test('a missing folder has no routes', async (t) => {
    const app = Fastify()
    await app.register(routes, { folder: join(createFolder(t), 'routes') })
    t.equal((await app.inject('/')).statusCode, 404)
  })

  t.test('a file without a plugin as its default export stops the start with a message', async (t) => {
    const found = {
      missing: 'export const orders = []\n',
      object: "export default { method: 'GET', url: '/orders', handler: () => 'orders' }\n",
      undefined: 'export default undefined\n'
    }
    for (const [name, text] of Object.entries(found)) {
      const start = createApp(t, { 'api/fine.ts': answer('/', 'fine'), 'api/orders.ts': text })
      await t.rejects(start, {
        code: 'APP_ROUTE_INVALID',
        message: new RegExp(
          `api/orders\\.ts is in routes/, and its default export is ${name}: export a Fastify plugin as default, or`
        )
      })
    }
  })

  t.test('an error of a file stops the start, with the place of the error', async (t) => {
    const error: Error = await createApp(t, { 'orders.ts': 'export default 1 +\n' }).catch((failure) => failure)
    t.match(error.stack, 'orders.ts')
    await t.rejects(createApp(t, { 'orders.ts': "throw new Error('no table')\n" }), { message: 'no table' })
  })
})
