import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as Sentry from '@sentry/node'
import t from 'tap'
import { startServer, terminate } from '@hull/test-helpers/child-server.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { readInboxConfig } from '../config.ts'
import { buildInboxServer } from '../server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const SERVER = 'packages/inbox/server.ts'

// It builds its pages where they are missing: those of an earlier state of the sources too.
rmSync(join(import.meta.dirname, '../dist'), { recursive: true, force: true })

t.test('runs alone: an SDK sends an error, and a person reads it', async (t) => {
  const server = await startServer(t, { INBOX_PASSWORD }, SERVER)
  const { origin } = server
  const home = await fetch(origin, { redirect: 'manual' })
  t.equal(home.headers.get('location'), '/inbox')
  t.equal((await fetch(`${origin}/inbox`)).status, 401)

  const signIn = await fetch(`${origin}/inbox/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin },
    body: new URLSearchParams({ name: 'Ada', password: INBOX_PASSWORD })
  })
  t.equal(signIn.status, 303)
  const cookie = signIn.headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ')
  const read = async (path: string) => (await fetch(`${origin}${path}`, { headers: { cookie } })).text()

  t.match(await read('/inbox'), 'No errors yet')
  t.notMatch(await read('/inbox'), 'href="/lab')
  const [dsn] = /http:\/\/\w+@127\.0\.0\.1:\d+\/\d+/.exec(await read('/inbox/settings/projects/1')) ?? []
  t.ok(dsn, 'the page of a project has its DSN')

  Sentry.init({ dsn: dsn!, defaultIntegrations: false })
  const id = Sentry.captureException(new Error('the shelf is empty'))
  t.ok(await Sentry.flush(60_000))
  await Sentry.close()
  t.match(await read('/inbox/issues'), 'the shelf is empty')
  const event = await fetch(`${origin}/inbox/issues?q=${id}`, { headers: { cookie } })
  t.match(event.url, /\/inbox\/issues\/\d+/, 'an event is found by the id that the SDK returned')

  const ended = await terminate(server)
  t.equal((await ended()).code, 0)
})

t.test('keeps its files and its pages apart from an application', async (t) => {
  const DATA_DIR = createFolder(t)
  const printed: string[] = []
  const config = readInboxConfig({ DATA_DIR, LOG_LEVEL: 'silent', PORT: '0', MAX_EVENT_LOOP_DELAY: '0' })
  const app = await buildInboxServer(config, { print: (text) => printed.push(text) })
  t.teardown(() => app.close())
  t.equal((await app.inject('/lab')).statusCode, 404)
  t.equal((await app.inject('/monitoring')).statusCode, 404)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.match(printed, [/^Sign in to the inbox .*\/inbox\/sign-in\?token=/])
})

t.test('reads its settings: those of the pages and of the inbox, and no others', async (t) => {
  const { warnings, local } = readInboxConfig({ INBOX_PASSWRD: 'x', SENTRY_DSN: 'https://key@host.example/1' })
  t.same(warnings, ['INBOX_PASSWRD is no setting and does nothing: is INBOX_PASSWORD meant?'])
  t.ok(local)
  t.notOk(readInboxConfig({ HOST: '0.0.0.0' }).local)
  t.throws(() => readInboxConfig({ INBOX_MAX_BYTES: '1MiB' }), { code: 'APP_CONFIG_INVALID' })
})
