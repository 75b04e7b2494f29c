// Runs in a process of its own: it initializes the SDK of its process.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startServer, terminate } from '@hull/test-helpers/child-server.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { readInboxConfig } from '../src/config.ts'
import { buildInboxServer } from '../src/server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { runChild } from '../../../scripts/child.js'
import { makeInvitation } from './helpers/invitation.ts'
import { sendAndReadError } from './helpers/sdk-error.ts'
import { createRawEvent } from './helpers/writer.ts'

const SERVER = 'packages/inbox/src/hull-inbox.ts'
const PROJECT = join(import.meta.dirname, '../../..')

/** Starts an inbox that runs alone, and signs in an admin. */
async function openAlone(t: Test) {
  const env = { DATA_DIR: createFolder(t), INBOX_PASSWORD, LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY: '0' }
  const app = await buildInboxServer(readInboxConfig(env), { print: () => {} })
  t.teardown(() => app.close())
  return { app, admin: await signIn(app) }
}

// As `npm run inbox` does first.
const built = await runChild(process.execPath, ['scripts/run.js', 'inbox:build'], { cwd: PROJECT, capture: true })
t.equal(built.code, 0, built.output)

t.test('runs alone: an SDK sends an error, and a person reads it', async (t) => {
  const server = await startServer(t, { INBOX_PASSWORD }, SERVER)
  const { origin } = server
  const home = await fetch(origin, { redirect: 'manual' })
  t.equal(home.headers.get('location'), '/inbox')
  t.equal((await fetch(`${origin}/inbox`)).status, 401)

  await sendAndReadError(t, origin)

  const ended = await terminate(server)
  t.equal((await ended()).code, 0)
})

t.test('serves no pages or endpoints of an application', async (t) => {
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

t.test('a release of the inbox is no release of the services that report to it', async (t) => {
  const INBOX_KEY = 'a'.repeat(32)
  const url = `/api/1/envelope/?sentry_key=${INBOX_KEY}`
  const DATA_DIR = createFolder(t)
  const start = async (RELEASE: string) => {
    const config = readInboxConfig({ DATA_DIR, INBOX_KEY, RELEASE, LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY: '0' })
    return buildInboxServer(config, { print: () => {} })
  }
  const report = async (app: Awaited<ReturnType<typeof start>>) => {
    const payload = `{}\n{"type":"event"}\n${JSON.stringify(createRawEvent({ release: 'shop@1' }))}\n`
    t.equal((await app.inject({ method: 'POST', url, payload })).statusCode, 200)
    return (await app.inbox!.queries.getIssue({ id: 1 })).state
  }
  const before = await start('inbox-1')
  await report(before)
  await before.close()
  const after = await start('inbox-2')
  t.teardown(() => after.close())
  await after.inbox!.changes.resolveIssues({ issues: [{ id: 1 }], who: 1 })
  t.equal(await report(after), 'regressed', 'in the release in which it was resolved')
})

t.test('the doctor describes services, not the tunnel and the build of an application', async (t) => {
  const { admin } = await openAlone(t)
  const { body } = await admin.get('/inbox/doctor')
  t.match(body, 'No service has reported events yet')
  t.notMatch(body, /tunnel|npm run build|TRACES_SAMPLE_RATE/)
})

t.test('the doctor shows refused envelopes', async (t) => {
  const { app, admin } = await openAlone(t)
  const url = '/api/1/envelope/?sentry_key=0'
  t.equal((await app.inject({ method: 'POST', url, payload: '{}' })).statusCode, 403)
  const { body } = await admin.get('/inbox/doctor')
  t.match(body, 'This server refused 1 envelope, the last one')
  t.match(body, /envelopes for First project<.*The key of the DSN does not belong to this project/)
})

t.test('pages do not say that an application reports without a DSN', async (t) => {
  const { admin } = await openAlone(t)
  for (const path of ['/inbox', '/inbox/settings', '/inbox/settings/projects/1']) {
    const { body } = await admin.get(path)
    t.match(body, 'DSN', path)
    t.notMatch(body, /No setup is needed|reports? without|this application/i, path)
  }
})

t.test('pages for people who are not signed in have a frame', async (t) => {
  const { app, admin } = await openAlone(t)
  const invitation = await makeInvitation(admin, 'viewer')
  for (const path of ['/inbox/sign-in', invitation]) {
    const { body, statusCode } = await app.inject(path)
    t.equal(statusCode, 200, path)
    t.match(body, /<header class="frame-bar">.*<main class="frame-main" id="main" tabindex="-1">.*<h1>/i, path)
    t.notMatch(body, '<nav', path)
  }
})

t.test('pages name no settings that only an application has', async (t) => {
  const { admin } = await openAlone(t)
  const invitation = await makeInvitation(admin, 'viewer')
  for (const path of ['/inbox/traces', '/inbox/settings/projects/1', invitation]) {
    const { body, statusCode } = await admin.get(path)
    t.equal(statusCode, 200, path)
    t.notMatch(body, /TRACES_SAMPLE_RATE|RELEASE_COMMIT|of this application/, path)
  }
})

t.test('names the command that builds the pages, if there is no build', async (t) => {
  const config = readInboxConfig({ DATA_DIR: createFolder(t), LOG_LEVEL: 'silent' })
  await t.rejects(
    buildInboxServer(config, { dist: createFolder(t) }),
    /no finished build in .*: run "npm run inbox:build"/
  )
})

t.test('refuses BASE_PATH, for which the pages are not built', async (t) => {
  const config = readInboxConfig({ DATA_DIR: createFolder(t), LOG_LEVEL: 'silent', BASE_PATH: '/team' })
  await t.rejects(buildInboxServer(config), { code: 'APP_CONFIG_INVALID', message: /^BASE_PATH: expected no value/ })
})

t.test('reads the settings of pages and of the inbox, and no others', async (t) => {
  const { warnings, local } = readInboxConfig({ INBOX_PASSWRD: 'x', SENTRY_DSN: 'https://key@host.example/1' })
  t.same(warnings, ['INBOX_PASSWRD is not a setting and has no effect: did you mean INBOX_PASSWORD?'])
  t.ok(local)
  t.match(readInboxConfig({ HOST: '0.0.0.0' }), { local: false, warnings: [/^BASE_URL is not set/] })
  t.throws(() => readInboxConfig({ INBOX_MAX_BYTES: '1MiB' }), { code: 'APP_CONFIG_INVALID' })
})
