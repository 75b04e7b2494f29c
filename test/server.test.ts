import t from 'tap'
import { readConfig } from '../lib/config.ts'
import { buildServer } from '../server.ts'
import { createTestApp } from './helpers/app.ts'
import { buildFixtureSite } from './helpers/site.ts'

const site = await buildFixtureSite()

t.test('a misspelt setting is one warning at the start', async (t) => {
  const { logs } = await createTestApp(t, { site, env: { LOG_LEVL: 'debug', PATH: '/bin' } })
  t.match(logs.lines, [{ level: 40, msg: 'LOG_LEVL is no setting and does nothing: is LOG_LEVEL meant?' }])
  t.equal(logs.lines.length, 1)
})

t.test('a damaged secret in DATA_DIR ends the start, unless SESSION_SECRET stands in for it', async (t) => {
  const DATA_DIR = t.testdir({ 'session-secret': '' })
  await t.rejects(buildServer(readConfig({ DATA_DIR }), site), { code: 'APP_CONFIG_INVALID', message: DATA_DIR })
  await createTestApp(t, { site, env: { DATA_DIR } })
})
