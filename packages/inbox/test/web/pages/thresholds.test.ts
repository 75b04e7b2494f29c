import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { setWallClock } from '@hull/test-helpers/wall-clock.ts'
import { createReceiver } from '../../helpers/alerts.ts'
import { sendEvents, thrown } from '../../helpers/screens.ts'

const ALERTS = '/inbox/settings/alerts'
const THRESHOLDS = `${ALERTS}/thresholds`

async function open(t: Test, folder = createFolder(t)) {
  const env = { DATA_DIR: folder, INBOX_PASSWORD, INBOX_PRIVATE_TARGETS: 'true' }
  const { app, logs } = await createTestApp(t, { env })
  return { app, logs, admin: await signIn(app) }
}

const folder = createFolder(t)
const { app, admin } = await open(t, folder)
const receiver = await createReceiver(t)
const SPIKE = { project: '1', channel: '1', bound: '5', minimum: '3', tellsEnd: 'on' }
const pageOf = async (place: number) => {
  const { body } = await admin.get(THRESHOLDS)
  return [...body.matchAll(/href="(\/inbox\/settings\/alerts\/thresholds\/\d+)"/g)][place]![1]!
}
const audit = async () => (await app.inbox!.queries.listAudit({})).map(({ kind, who, detail }) => [kind, who, detail])

t.test('without a channel, no threshold can be created', async (t) => {
  t.match((await admin.get(ALERTS)).body, `href="${THRESHOLDS}"`)
  const { body } = await admin.get(THRESHOLDS)
  t.match(body, 'No thresholds yet')
  t.match(body, 'Create a channel first')
  t.notMatch(body, 'Create threshold')
})

t.test('invalid values are refused, with a message at each field, and kept', async (t) => {
  const fields = { kind: 'webhook', name: 'Team', target: receiver.url, groupMinutes: '0' }
  await admin.post(ALERTS, { intent: 'create-channel', ...fields })
  for (const value of ['0', '-1', 'NaN', '1e9', '', 'x'])
    for (const kind of ['spike', 'crash-free', 'vital']) {
      const fields = { ...SPIKE, vital: 'CLS', bound: value, minimum: value }
      const { statusCode, body } = await admin.post(`${THRESHOLDS}?kind=${kind}`, fields)
      t.equal(statusCode, 422, `${kind} ${value}`)
      t.match(body, 'id="bound-error"')
      t.match(body, 'id="minimum-error"')
    }
  const unknown = await admin.post(THRESHOLDS, { ...SPIKE, issue: '#99' })
  t.equal(unknown.statusCode, 422)
  t.match(unknown.body, /id="issue-error"[^>]*>Invalid threshold: issue #99 is not in this project/)
  t.match(unknown.body, 'value="#99"')
  t.match((await admin.post(THRESHOLDS, { ...SPIKE, issue: 'x' })).body, 'id="issue-error"')
  t.match((await admin.post(THRESHOLDS, { ...SPIKE, project: '9' })).body, 'Invalid threshold: choose a project')
  t.equal((await app.inbox!.queries.listThresholds({ now: Date.now() })).length, 0)
})

t.test('thresholds of each kind are created, and shown with their current value', async (t) => {
  for (const [kind, fields] of [
    ['spike', SPIKE],
    ['crash-free', { ...SPIKE, bound: '99.5' }],
    ['vital', { ...SPIKE, vital: 'CLS', bound: '0.1' }]
  ] as const)
    t.equal((await admin.post(`${THRESHOLDS}?kind=${kind}`, fields)).headers.location, THRESHOLDS, kind)
  const { body } = await admin.get(THRESHOLDS)
  t.match(body, 'Errors of an hour: more than 5 × the usual rate, and at least 3')
  t.match(body, 'Crash-free sessions: below 99.5 %, of at least 3 sessions')
  t.match(body, '75th percentile of CLS: above 0.1, of at least 3 samples')
  t.match(body, '0 errors in the last hour, usually 0')
  t.match(body, /No sessions since \d\d:00 UTC/)
  t.equal(body.match(/Too few samples/g)?.length, 2)
  t.equal(body.match(/Within the bound/g)?.length, 1)
})

t.test('a threshold fires, and its page says so', async (t) => {
  await sendEvents(
    app,
    Array.from({ length: 4 }, () => thrown('TypeError'))
  )
  const page = await pageOf(0)
  t.match((await admin.get(page)).body, 'Beyond the bound', 'thresholds are checked every two seconds')
  while (receiver.requests.length === 0) {
    await app.inboxAlerts.run()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  t.match(receiver.requests[0]!.message.title, /^\[This application\] Spike: 4 errors in the last hour, usually 0/)
  const { body } = await admin.get(page)
  t.match(body, /Fires since/)
  t.match(body, '4 errors in the last hour, usually 0')
  t.match((await admin.get(THRESHOLDS)).body, /Fires since/)
})

t.test('a threshold is changed, switched off and on, and removed', async (t) => {
  const page = await pageOf(0)
  const refused = await admin.post(page, { ...SPIKE, intent: 'save', bound: '0' })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, 'id="bound-error"')
  const gone = await admin.post(page, { ...SPIKE, intent: 'save', channel: '99' })
  t.equal(gone.statusCode, 422)
  t.match(gone.body, /Your change was not applied:.*Invalid threshold: choose a channel/s)
  await admin.post(page, { ...SPIKE, intent: 'save', bound: '7.5', tellsEnd: '' })
  const { body } = await admin.get(page)
  t.match(body, 'more than 7.5 × the usual rate')
  t.notMatch(body, /name="tellsEnd"[^>]*checked=""/)
  await admin.post(page, { intent: 'disable' })
  t.match((await admin.get(page)).body, /class="state">Off</)
  await admin.post(page, { intent: 'enable' })
  t.match((await admin.get(page)).body, 'Beyond the bound')
  await t.test('by the clock of the machine, with which events are counted', async (t) => {
    setWallClock(t, 3 * 3_600_000)
    t.match((await admin.get(page)).body, 'Within the bound')
    t.notMatch((await admin.get(THRESHOLDS)).body, 'Beyond the bound')
  })
  const { body: before } = await admin.get('/inbox/settings/audit')
  t.match(before, 'switched an alert threshold off')
  t.equal((await admin.post(await pageOf(2), { intent: 'remove' })).headers.location, THRESHOLDS)
  t.equal((await app.inbox!.queries.listThresholds({ now: Date.now() })).length, 2)
  for (const id of ['0', '99', 'x', '01']) t.equal((await admin.get(`${THRESHOLDS}/${id}`)).statusCode, 404, id)
})

t.test('the page of a threshold for one issue links to the issue', async (t) => {
  t.equal((await admin.post(THRESHOLDS, { ...SPIKE, issue: '#1' })).statusCode, 303)
  const page = await pageOf(2)
  t.match((await admin.get(page)).body, /href="\/inbox\/issues\/1"[^>]*>.*TypeError: it is broken/s)
  const { version } = await app.inbox!.queries.getIssue({ id: 1 })
  await admin.post('/inbox/issues/1', { do: 'delete', issue: `1:${version}` })
  t.match((await admin.get(page)).body, 'It was deleted or merged')
})

t.test('the audit log has each change of channels, rules and thresholds', async (t) => {
  const before = (await audit()).length
  const mails = { kind: 'mail', name: 'Mails', target: 'team@shop.example', groupMinutes: '0' }
  const made = await admin.post(ALERTS, { intent: 'create-channel', ...mails })
  const page = String(made.headers.location)
  const id = page.split('/').at(-1)!
  await admin.post(page, { ...mails, intent: 'save', name: 'Mail' })
  await admin.post(page, { intent: 'renew' })
  const { secret } = await app.inbox!.queries.getChannel({ id: Number(id) })
  const link = { id: Number(id), token: secret, now: Date.now() }
  await app.inbox!.changes.unsubscribe({ ...link, token: 'x' })
  await app.inbox!.changes.unsubscribe(link)
  await app.inbox!.changes.unsubscribe(link)
  await admin.post(page, { intent: 'resume' })
  await admin.post(page, { intent: 'resume' })
  await admin.post(ALERTS, { intent: 'create-rule', when: 'new', project: '1', channel: id })
  await admin.post(ALERTS, { intent: 'create-rule', when: 'new', project: '1', channel: id })
  const [rule] = await app.inbox!.queries.listRules()
  await admin.post(ALERTS, { intent: 'remove-rule', rule: rule!.id })
  await admin.post(ALERTS, { intent: 'remove-rule', rule: rule!.id })
  await admin.post(page, { intent: 'remove' })
  const all = await audit()
  const rules = 'A new issue appears · This application · warning and above · Mail'
  t.same(all.slice(0, -before), [
    ['channel-removed', 'Ada', 'Mail'],
    ['rule-removed', 'Ada', rules],
    ['rule-created', 'Ada', rules],
    ['channel-resumed', 'Ada', 'Mail'],
    ['channel-unsubscribed', undefined, 'Mail'],
    ['channel-secret-rotated', 'Ada', 'Mail'],
    ['channel-changed', 'Ada', 'Mails → Mail'],
    ['channel-created', 'Ada', 'Mails']
  ])
  const changed = 'Errors of an hour: more than 7.5 × the usual rate, and at least 3 · This application'
  t.same(all.filter(([kind]) => String(kind).startsWith('threshold')).slice(1, 5), [
    ['threshold-removed', 'Ada', '75th percentile of CLS: above 0.1, of at least 3 samples · This application'],
    ['threshold-enabled', 'Ada', changed],
    ['threshold-disabled', 'Ada', changed],
    ['threshold-changed', 'Ada', changed]
  ])
  t.match((await admin.get('/inbox/settings/audit')).body, 'Link in a mail')
})

t.test('thresholds survive a damaged file', async (t) => {
  const before = await app.inbox!.queries.listThresholds({ now: Date.now() })
  await app.close()
  writeFileSync(join(folder, 'inbox.db'), 'no database'.repeat(1_000))
  const { app: next, logs } = await open(t, folder)
  t.match(logs.takeErrors(), [{ salvaged: { alert_threshold: 3 } }])
  t.match(
    (await next.inbox!.queries.listThresholds({ now: Date.now() })).map(({ threshold }) => threshold),
    before.map(({ threshold: { issueTitle: _title, firingSince: _since, ...kept } }) => kept)
  )
})
