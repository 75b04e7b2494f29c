import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import t from 'tap'
import { readConfig } from '../config.ts'
import { buildServer } from '../server.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { bareEnv, bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

t.test('a misspelt setting gives one warning at the start', async (t) => {
  const { logs } = await createTestApp(t, { site, env: { LOG_LEVL: 'debug', PATH: '/bin' } })
  t.match(logs.lines, [{ level: 40, msg: 'LOG_LEVL is not a setting and has no effect: did you mean LOG_LEVEL?' }])
  t.equal(logs.lines.length, 1)
})

t.test('a damaged secret in DATA_DIR stops the start, unless SESSION_SECRET replaces it', async (t) => {
  const DATA_DIR = createFolder(t, { 'session-secret': '' })
  await t.rejects(buildServer(readConfig({ DATA_DIR }), site), { code: 'APP_CONFIG_INVALID', message: DATA_DIR })
  await createTestApp(t, { site, env: { DATA_DIR } })
})

t.test(
  'documents keep Safari on iOS from adding links, because of which React would render the page again',
  async (t) => {
    const { app } = await createTestApp(t, { site })
    for (const url of ['/', '/no-page'])
      t.match(
        (await app.inject(url)).body,
        '<meta name="format-detection" content="telephone=no, date=no, email=no, address=no">'
      )
  }
)

t.test('the start waits for a plugin that takes a minute, and fails if a plugin hangs', async (t) => {
  t.teardown(() => mock.timers.reset())
  const slow = await createTestApp(t, { site })
  const hanging = await createTestApp(t, { site })
  mock.timers.enable({ apis: ['setTimeout'] })
  slow.app.register(async () => {
    mock.timers.tick(60_000)
    await new Promise(setImmediate)
  })
  await slow.app.ready()

  hanging.app.register(async function hangs() {
    mock.timers.tick(120_000)
    await new Promise(() => {})
  })
  await t.rejects(async () => hanging.app.ready(), { code: 'FST_ERR_PLUGIN_TIMEOUT', message: 'hangs' })
})

t.test('an invalid setting stops the start, and only its message is printed', async (t) => {
  for (const [env, sentence] of [
    [
      { RENDER_TIMEOUT: 'soon' },
      'RENDER_TIMEOUT=soon: expected a duration such as 500ms, 10s or 1m, of 24 days at most'
    ],
    [
      { INBOX_OIDC_ISSUER: 'https://login.example' },
      'INBOX_OIDC_CLIENT_ID: expected with INBOX_OIDC_ISSUER\nINBOX_OIDC_ROLES: expected with INBOX_OIDC_ISSUER'
    ],
    [
      { INBOX_OIDC_CLIENT_ID: 'shop', INBOX_OIDC_ROLES: '*=viewer' },
      'INBOX_OIDC_ISSUER: expected with INBOX_OIDC_CLIENT_ID'
    ],
    [
      { BASE_PATH: '/shop' },
      'BASE_PATH is /shop, but the build was made with none: run npm run build with the same value, or remove the variable'
    ],
    [
      { TUNNEL_ALIAS: '/healthz' },
      'The second path of the tunnel, /healthz, is the address of another route: set TUNNEL_ALIAS, or the option `alias`, to a path of its own'
    ]
  ] as const) {
    const child = spawn('env', bareNode('server.ts'), {
      cwd: join(import.meta.dirname, '..'),
      env: { ...bareEnv(), DATA_DIR: createFolder(t), ...env }
    })
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    t.equal(output, `${sentence}\n`)
    t.equal(code, 1)
  }
})
