import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createVisitor, INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { getPostgres } from '@hull/test-helpers/services.ts'

t.setTimeout(600_000)

const server = await getPostgres(t)

/** Low rates, with bursts of 10, 1 and 3. */
const env = { INBOX_PASSWORD, DATABASE_URL: server.url, TUNNEL_RATE: '30', INBOX_KEY_RATE: '3' }

async function startReplica() {
  const { app, logs } = await createTestApp(t, { env })
  await app.ready()
  await app.inbox!.open!()
  const findLine = () => logs.lines.some(({ msg }) => msg.startsWith('connected to other'))
  await eventually(findLine)
  return app
}

const [one, two] = [await startReplica(), await startReplica()]
type Application = typeof one

type Send = (app: Application) => Promise<boolean>

/** @returns number of requests that were accepted before one was refused */
async function sendUntilRefused(app: Application, send: Send): Promise<number> {
  for (let accepted = 0; ; accepted++) if (!(await send(app))) return accepted
}

/**
 * Uses up a limit at one replica and, after its next report, at the other one. A replica sends reports at most once a
 * second.
 */
async function useUp(send: Send) {
  const first = await sendUntilRefused(one, send)
  await sleep(2_000)
  return { first, second: await sendUntilRefused(two, send) }
}

t.test('wrong passwords at one replica delay the sign-in at another', async (t) => {
  const tryPassword = async (app: Application, address: number, password = 'a wrong password') => {
    const visitor = createVisitor(app, { remoteAddress: `198.51.100.${address}` })
    const { statusCode, headers } = await visitor.post('/inbox/sign-in', { name: 'Ada', password })
    return { statusCode, wait: Number(headers['retry-after'] ?? 0) }
  }
  // The first 20 wrong passwords for a name, from as many addresses, cause no delay. The delay after 27 is long enough
  // for the slowest machine.
  for (let address = 0; address < 27; address++) t.match(await tryPassword(one, address), { statusCode: 422 })
  const refused = await eventually(async () => {
    const answer = await tryPassword(two, 7)
    return answer.statusCode === 429 && answer
  })
  t.ok(refused.wait > 20, `${refused.wait} s`)
  t.match(await tryPassword(two, 99, INBOX_PASSWORD), { statusCode: 303 })
})

t.test('envelopes with one key are limited across replicas', async (t) => {
  const { id, key } = await one.inbox!.changes.createProject({ name: 'Shop' })
  await eventually(() => two.inbox!.findProject(key))
  const { first, second } = await useUp(async (app) => {
    const { statusCode } = await app.inject({
      method: 'POST',
      url: `/api/${id}/envelope/?sentry_key=${key}`,
      payload: '{}\n{"type":"event"}\n{"message":"from elsewhere"}\n'
    })
    return statusCode === 200
  })
  t.equal(first, 4, 'the rate and the reserve')
  t.ok(second < 4, `${second} accepted`)
})

t.test('envelopes from one address are limited across replicas', async (t) => {
  const { first, second } = await useUp(async (app) => {
    const { statusCode } = await app.inject({ method: 'POST', url: '/monitoring', payload: 'no envelope' })
    return statusCode === 400
  })
  t.ok(first >= 10)
  t.ok(second < 9, `${second} accepted`)
})

t.test('requests with a token are limited across replicas', async (t) => {
  const admin = await signIn(one, 'Grace')
  const by = (await one.inboxAccess.findPerson(Object.fromEntries(admin.cookies)))!
  const token = await one.inboxTokens.create(by, { name: 'Reader', scope: 'read' })
  const { first, second } = await useUp(async (app) => {
    const { statusCode } = await app.inject({
      url: '/inbox/api/unknown',
      headers: { authorization: `Bearer ${token}` }
    })
    return statusCode === 404
  })
  t.ok(first >= 100)
  t.ok(second < 50, `${second} accepted`)
})

t.test('suggestions are limited across replicas', async (t) => {
  const visitors = new Map([
    [one, await signIn(one, 'Grace')],
    [two, await signIn(two, 'Grace')]
  ])
  const { first, second } = await useUp(async (app) => {
    const { statusCode } = await visitors.get(app)!.get('/inbox/suggestions?text=is')
    return statusCode === 200
  })
  t.ok(first >= 200)
  t.ok(second < 150, `${second} accepted`)
})

t.test('codes for mail addresses are limited across replicas', async (t) => {
  const { first, second } = await useUp(async ({ inboxAlerts }) => inboxAlerts.takeCode(1) === 0)
  t.equal(first, 3)
  t.ok(second < 3, `${second} accepted`)
})

t.test('an address or form with an invalid id finds nothing', async (t) => {
  const admin = await signIn(one, 'Ida')
  const mailProgram = createVisitor(one)
  const rule = { intent: 'create-rule', when: 'new', project: '1' }
  const threshold = { kind: 'spike', bound: '5', minimum: '10', project: '1' }
  for (const id of ['abc', '1.5', '1e300', '99999999999999999999']) {
    const link = `/inbox/unsubscribe?channel=${id}&token=x`
    t.equal((await mailProgram.get(link)).statusCode, 200, id)
    t.equal((await mailProgram.post(link, {})).statusCode, 303, id)
    for (const [path, form] of [
      [`/inbox/issues/${id}`, { do: 'follow' }],
      [`/inbox/monitors/${id}`, { intent: 'delete' }],
      ['/inbox/settings/alerts', { ...rule, channel: id }],
      ['/inbox/settings/alerts', { ...rule, project: id, channel: '1' }],
      ['/inbox/settings/alerts', { intent: 'remove-rule', rule: id }],
      [`/inbox/settings/alerts/${id}`, { intent: 'remove' }],
      ['/inbox/settings/alerts/thresholds', { ...threshold, channel: id }],
      ['/inbox/settings/alerts/thresholds', { ...threshold, project: id, channel: '1' }],
      ['/inbox/settings/tokens', { intent: 'revoke', id }],
      ['/inbox/issues/searches', { intent: 'remove', id }],
      ['/inbox/issues/merge', { do: 'merge', into: id, issue: '1:1' }]
    ] as const) {
      const { statusCode } = await admin.post(path, form)
      t.ok([303, 404, 422].includes(statusCode), `${path} ${JSON.stringify(form)}: ${statusCode}`)
    }
  }
})

t.test('any replica shows a new token and a new link, only to their creator', async (t) => {
  const admin = await signIn(one, 'Joan')
  const other = await signIn(two, 'Kay')
  const elsewhere = createVisitor(two)
  const [tokens, people] = ['/inbox/settings/tokens', '/inbox/settings/people']
  await admin.post(tokens, { intent: 'create', name: 'Bot', scope: 'read' })
  await admin.post(people, { intent: 'invite', role: 'viewer' })
  for (const [name, value] of admin.cookies) {
    elsewhere.cookies.set(name, value)
    if (name !== 'inbox') other.cookies.set(name, value)
  }
  for (const [path, secret] of [
    [tokens, /hull_[\w-]{43}/],
    [people, /\/inbox\/invitation\?token=[\w-]{43}/]
  ] as const) {
    t.match((await elsewhere.get(path)).body, secret)
    t.notMatch((await other.get(path)).body, secret)
  }
})
