import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { setWallClock } from '@hull/test-helpers/wall-clock.ts'
import { toUnsubscribeUrl } from '../../../src/addresses.ts'
import { createReceiver } from '../../helpers/alerts.ts'
import { sendEvents, thrown } from '../../helpers/screens.ts'

const ALERTS = '/inbox/settings/alerts'

async function openSettings(env: Record<string, string> = {}) {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD, ...env } })
  const admin = await signIn(app)
  const receiver = await createReceiver(t)
  const fields = { intent: 'create-channel', kind: 'webhook', name: 'Team', target: receiver.url, groupMinutes: '0' }
  return { app, admin, receiver, fields }
}

const { app, admin, receiver, fields } = await openSettings({ INBOX_PRIVATE_TARGETS: 'true' })

t.test('an empty inbox says that a channel comes first', async (t) => {
  const { body } = await admin.get(ALERTS)
  t.match(body, 'Create a channel first')
  t.notMatch(body, 'value="create-rule"')
  t.match(body, 'Set <code>BASE_URL</code>')
})

t.test('invalid values are refused, with a message at each field, and kept', async (t) => {
  const refused = await admin.post(ALERTS, {
    ...fields,
    name: ' ',
    target: 'ftp://x',
    groupMinutes: '-1',
    quietFrom: '22:00',
    zone: 'Mars/Olympus'
  })
  t.equal(refused.statusCode, 422)
  for (const name of ['name', 'target', 'groupMinutes', 'quietFrom', 'zone'])
    t.match(refused.body, `id="${name}-error"`, name)
  t.match(refused.body, 'value="ftp://x"')
  for (const target of ['javascript:alert(1)', 'https://user:secret@host.example/', 'x', ''])
    t.equal((await admin.post(ALERTS, { ...fields, target })).statusCode, 422, target)
  for (const [quietFrom, quietUntil] of [
    ['22:00', '22:00'],
    ['22:00', 'x'],
    ['', '07:00']
  ] as const)
    t.match((await admin.post(ALERTS, { ...fields, quietFrom, quietUntil })).body, 'Enter a start and a different end')
  t.equal((await admin.post(ALERTS, { ...fields, kind: 'fax' })).statusCode, 422)
})

t.test('a channel is created, tested, and receives the issues that match a rule', async (t) => {
  const made = await admin.post(ALERTS, fields)
  t.equal(made.statusCode, 303)
  const page = String(made.headers.location)
  t.match((await admin.get(page)).body, /whsec_/)

  await admin.post(page, { intent: 'test' })
  t.equal(receiver.requests.length, 1, 'the test message is sent before the response')
  t.match(receiver.requests[0]!.message, { type: 'test', title: /Test: alerts of this inbox arrive here/ })
  t.match((await admin.get(page)).body, /class="state state-good">Sent</)

  await admin.post(ALERTS, { intent: 'create-rule', when: 'new', project: '1', channel: page.split('/').at(-1)! })
  t.match((await admin.get(ALERTS)).body, /A new issue appears.*This application.*Team/s)
  await sendEvents(app, [thrown('TypeError', 'cart is undefined')])
  await t.resolves(eventuallySent(2))
  t.equal(receiver.requests[1]!.message.title, '[This application] New issue: TypeError: cart is undefined')

  t.test('a rule names environments', async (t) => {
    const rule = { intent: 'create-rule', when: 'new', project: '1', channel: page.split('/').at(-1)! }
    await admin.post(ALERTS, { ...rule, environments: ' production,canary, ,production' })
    t.match((await admin.get(ALERTS)).body, />canary, production</)
    const refused = await admin.post(ALERTS, { ...rule, environments: 'x'.repeat(65) })
    t.equal(refused.statusCode, 422)
    t.match(refused.body, 'enter at most 20 environments, each of at most 64 characters')
    t.match(refused.body, `value="${'x'.repeat(65)}"`)
  })

  t.test(
    'a rule has a lowest level, by default warning, and the form keeps the choices that were refused',
    async (t) => {
      const rule = { intent: 'create-rule', when: 'regressed', project: '1', channel: page.split('/').at(-1)! }
      t.match((await admin.get(ALERTS)).body, '<option value="warning" selected="">warning and above</option>')
      await admin.post(ALERTS, rule)
      t.match(
        (await admin.get(ALERTS)).body,
        /resolved issue regresses<\/th>.*?data-label="Level"><bdi>warning and above</s
      )
      await admin.post(ALERTS, { ...rule, level: 'error' })
      t.match(
        (await admin.get(ALERTS)).body,
        /resolved issue regresses<\/th>.*?data-label="Level"><bdi>error and above</s
      )
      const refused = await admin.post(ALERTS, { ...rule, level: 'info', environments: 'x'.repeat(65) })
      t.match(refused.body, '<option value="info" selected="">')
      t.match(refused.body, '<option value="regressed" selected="">')
      t.equal((await admin.post(ALERTS, { ...rule, level: 'loud' })).statusCode, 422)
    }
  )

  t.test('the channel is changed, and removed with its rules', async (t) => {
    await admin.post(page, { ...fields, intent: 'save', name: 'Renamed', quietFrom: '22:00', quietUntil: '07:30' })
    const { body } = await admin.get(page)
    t.match(body, 'Renamed')
    t.match(body, 'value="07:30"')
    const secretIn = (html: string) => /whsec_[\w+/=]+/.exec(html)![0]
    await admin.post(page, { intent: 'renew' })
    t.not(secretIn((await admin.get(page)).body), secretIn(body))
    t.equal((await admin.post(page, { intent: 'remove' })).headers.location, ALERTS)
    t.equal((await admin.get(page)).statusCode, 404)
    t.match((await admin.get(ALERTS)).body, 'No rules yet')
  })
})

/** Runs the delivery loop, which runs by itself only in an application that listens. */
async function eventuallySent(count: number): Promise<void> {
  while (receiver.requests.length < count) {
    await app.inboxAlerts.run()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * Adds messages to a channel that could not be delivered for a day.
 * @returns their ids
 */
async function addDead(page: string, count = 1): Promise<string[]> {
  const id = Number(page.split('/').at(-1))
  const { changes, queries } = app.inbox!
  const now = Date.now()
  for (let i = 0; i < count; i++) await changes.testChannel({ id, now: now - 86_400_000 })
  const ids = (await queries.listDeliveries({ channel: id })).map((delivery) => delivery.id)
  for (const id of ids) await changes.recordAlert({ id, now, error: 'The target answered 500.' })
  return ids
}

t.test('a dead message can be sent again from the page of its channel', async (t) => {
  const made = await admin.post(ALERTS, { ...fields, name: 'Broken' })
  const page = String(made.headers.location)
  const [message] = await addDead(page)
  const { body } = await admin.get(page)
  t.match(body, /class="state state-bad">Dead</)
  t.match(body, 'The target answered 500.')
  const before = receiver.requests.length
  await admin.post(page, { intent: 'retry', message: message! })
  t.equal(receiver.requests.length, before + 1)
  t.match((await admin.get(ALERTS)).body, /class="state state-good">Sent</)
})

t.test('a rule for a channel or project that another admin has removed is refused in its form', async (t) => {
  const page = String((await admin.post(ALERTS, { ...fields, name: 'Removed' })).headers.location)
  const rule = { intent: 'create-rule', when: 'new', project: '1', channel: page.split('/').at(-1)! }
  await admin.post(page, { intent: 'remove' })
  await admin.post(ALERTS, { ...fields, name: 'Other' })
  for (const wrong of [rule, { ...rule, project: '99' }]) {
    const { statusCode, body } = await admin.post(ALERTS, wrong)
    t.equal(statusCode, 422)
    t.match(body, /class="field-error" role="alert">Invalid rule: choose a (channel|project)\.</)
    t.match(body, 'value="create-rule"', 'on the page of alerts')
    t.notMatch(body, 'The channel was not created')
  }
})

t.test('a channel above the limit is refused in its form, which keeps the values', async (t) => {
  const { changes, queries } = app.inbox!
  const { length } = await queries.listChannels()
  const input = { kind: 'webhook', target: receiver.url, groupMinutes: 0, quietFrom: '', quietUntil: '', zone: 'UTC' }
  for (let i = length; i < 200; i++) await changes.createChannel({ ...input, kind: 'webhook', name: `Channel ${i}` })
  const { statusCode, body } = await admin.post(ALERTS, { ...fields, name: 'One too many' })
  t.equal(statusCode, 422)
  t.match(body, /The channel was not created:.*Invalid channel: there are at most 200; remove one first/s)
  t.match(body, 'value="One too many"')
  for (const { id } of (await queries.listChannels()).slice(length)) await changes.removeChannel({ id })
})

t.test('a dead message of a removed channel stays in the log, and cannot be sent again', async (t) => {
  const page = String((await admin.post(ALERTS, { ...fields, name: 'Short-lived' })).headers.location)
  const [message] = await addDead(page)
  t.match((await admin.get(ALERTS)).body, `value="${message}"`)
  await admin.post(page, { intent: 'remove' })
  const isOffered = async () => (await admin.get(ALERTS)).body.includes(`value="${message}"`)
  t.notOk(await isOffered())
  t.equal((await admin.post(ALERTS, { intent: 'retry', message: message! })).statusCode, 404)
  t.match((await admin.get(ALERTS)).body, 'a removed channel')
})

t.test('a wall clock that is ahead delays no message', async (t) => {
  const made = await admin.post(ALERTS, { ...fields, name: 'Ahead' })
  const page = String(made.headers.location)
  const [first, second] = await addDead(page, 2)
  setWallClock(t, 1_800_000)
  for (const [url, posted] of [
    [page, { intent: 'test' }],
    [page, { intent: 'retry', message: first! }],
    [ALERTS, { intent: 'retry', message: second! }]
  ] as const) {
    const before = receiver.requests.length
    await admin.post(url, posted)
    t.equal(receiver.requests.length, before + 1, `${posted.intent} on ${url}`)
    if (posted.intent === 'test')
      t.ok(
        Date.now() - Date.parse(receiver.requests.at(-1)!.message.timestamp) < 60_000,
        'with the time of the machine'
      )
  }
})

t.test('addresses of channels that do not exist are 404', async (t) => {
  for (const id of ['0', '99', 'x', '1e0', '01', '%20', '-1'])
    t.equal((await admin.get(`${ALERTS}/${id}`)).statusCode, 404, id)
})

t.test('a mail program unsubscribes with one request, and a person with a link and a button', async (t) => {
  const made = await admin.post(ALERTS, { ...fields, kind: 'mail', name: 'Mails', target: 'team@shop.example' })
  const page = String(made.headers.location)
  const { id, secret } = await app.inbox!.queries.getChannel({ id: Number(page.split('/').at(-1)) })
  const { pathname, search } = new URL(toUnsubscribeUrl('https://inbox.example', { id, secret }))
  const url = pathname + search
  t.match((await app.inject(url)).body, 'Unsubscribe from Mails')
  t.match((await app.inject(`${url}x`)).body, 'This link is not valid')
  // RFC 8058, 3.1: the request has no cookies and no Origin header, and the response is no redirect.
  for (const [type, payload] of [
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
    ]
  ] as const) {
    const { statusCode } = await app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })
    t.equal(statusCode, 200, type)
  }
  t.match((await app.inject(url)).body, 'You are unsubscribed')
  t.match((await admin.get(page)).body, 'Unsubscribed')
  await admin.post(page, { intent: 'resume' })
  t.notMatch((await admin.get(page)).body, 'Unsubscribed')
})
