import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { openInbox, type InboxOptions } from '../../src/store/open.ts'
import { QueryThread } from '../../src/store/query-thread.ts'
import type { Envelope } from '@hull/monitoring'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { createEnvelope, createRawEvent } from '../helpers/writer.ts'

const log = { info() {}, warn() {}, error() {} }
const view = () => ({ since: Date.now() - 3_600_000, until: Date.now() + 1_000 })

async function open(t: Test, file = join(createFolder(t), 'data', 'inbox.db'), options: Partial<InboxOptions> = {}) {
  const inbox = await openInbox({
    file,
    maxBytes: 2 ** 30,
    retentionDays: 30,
    release: '1.0.0',
    log,
    ...options
  })
  t.teardown(() => inbox.close())
  return { inbox, file, deliver: (envelope: Envelope) => inbox.sink.accept(envelope) }
}

/** Changes the file with another connection. */
function execute(file: string, sql: string) {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  db.exec(sql)
  db.close()
}

t.test('an inbox', async (t) => {
  t.test('has its own project, which is the same after the next start, and has the running release', async (t) => {
    const { inbox, file } = await open(t)
    const { own } = inbox
    t.match(own, { id: 1, key: /^[\da-f]{32}$/ })
    t.same(inbox.findProject(own.key), own)
    t.equal(inbox.findProject('other'), undefined)
    t.equal(inbox.stats().available, true)
    t.same((await inbox.queries.getChoices({})).versions, ['1.0.0'])
    await inbox.close()
    t.same((await open(t, file)).inbox.own, own)
  })

  t.test('returns an event in queries as soon as its envelope is accepted', async (t) => {
    const { inbox, deliver } = await open(t)
    const event = createRawEvent()
    await deliver(createEnvelope([['event', event]]))
    const { issues } = await inbox.queries.listIssues({ view: view() })
    t.match(issues, [{ id: 1, type: 'TypeError', events: 1 }])
    t.match(await inbox.queries.getEvent({ id: 1 }), {
      row: { eventId: event.event_id, hasPayload: true },
      detail: { url: 'https://shop.example/items/7' }
    })
    t.match(inbox.stats(), { stored: { event: 1 }, drops: [] })
    t.ok(inbox.stats().bytes > 100_000)
  })

  t.test('stores a batch in one commit, stores each item once, and refuses unknown projects', async (t) => {
    const { inbox, deliver } = await open(t)
    const envelopes = Array.from({ length: 600 }, (_, index) =>
      createEnvelope([['event', createRawEvent()]], { project: index % 100 === 99 ? 7 : 1 })
    )
    const results = await Promise.allSettled(envelopes.map(deliver))
    const refused = results.filter(({ status }) => status === 'rejected')
    t.equal(refused.length, 6)
    t.match(refused[0], { reason: { code: 'APP_INBOX_KEY_UNKNOWN' } })
    t.match(inbox.stats().stored, { event: 594 })
    await deliver(envelopes[0]!)
    t.match((await inbox.queries.listIssues({ view: view() })).issues, [{ events: 594 }])
  })

  t.test('announces new issues, more events and changes', async (t) => {
    const { inbox, deliver } = await open(t)
    const announced: unknown[] = []
    const stop = inbox.onNews((news) => announced.push(news))
    await deliver(createEnvelope([['event', createRawEvent()]]))
    await deliver(createEnvelope([['event', createRawEvent()]]))
    await inbox.changes.resolveIssues({ issues: [{ id: 1 }], who: 1 })
    await deliver(createEnvelope([['event', createRawEvent()]]))
    const comment = await inbox.changes.addComment({ issue: 1, text: 'seen', who: 1 })
    await inbox.changes.removeComment({ issue: 1, comment, who: 1 })
    stop()
    await deliver(createEnvelope([['event', createRawEvent()]]))
    t.same(announced, Array(6).fill({ issues: [1] }))
  })

  t.test('passes errors of its threads on with their code and status', async (t) => {
    const { inbox } = await open(t)
    await t.rejects(inbox.queries.getIssue({ id: 7 }), { code: 'APP_INBOX_ISSUE_NOT_FOUND', statusCode: 404 })
    await t.rejects(inbox.queries.listIssues({ view: { since: 0, until: Date.now() }, query: 'is:nonsense' }), {
      code: 'APP_INBOX_QUERY_INVALID',
      statusCode: 400
    })
    await t.rejects(inbox.changes.unmergeKey({ issue: 7, key: 7, who: 1 }), {
      code: 'APP_INBOX_ISSUE_NOT_FOUND',
      statusCode: 404
    })
  })

  t.test('finds a project as soon as any process has created it', async (t) => {
    const { inbox, file, deliver } = await open(t)
    const shop = await inbox.changes.createProject({ name: 'shop' })
    t.equal(inbox.findProject(shop.key)?.id, shop.id)
    execute(file, `INSERT INTO project (id, name, key, created) VALUES (77, 'other', 'abc', 0)`)
    await deliver(createEnvelope([['event', createRawEvent()]], { project: 77 }))
    t.equal(inbox.findProject('abc')?.id, 77)
    await inbox.changes.removeProject({ id: 77 })
    t.equal(inbox.findProject('abc'), undefined)
    await t.rejects(deliver(createEnvelope([['event', createRawEvent()]], { project: 77 })), {
      code: 'APP_INBOX_KEY_UNKNOWN'
    })
  })

  t.test('whose first project would have the key of another project logs its name', async (t) => {
    const { inbox: before, file } = await open(t)
    const { key } = await before.changes.createProject({ name: 'Workers' })
    await before.close()
    const reasons: unknown[] = []
    const error = (details: object) => reasons.push(details)
    const { inbox } = await open(t, file, { key, log: { ...log, error } })
    t.equal(inbox.stats().available, false)
    t.match(reasons, [{ reason: 'INBOX_KEY is the key of the project Workers: give it another value' }])
    await inbox.close()
    t.match((await open(t, file)).inbox.findProject(key), { name: 'Workers' })
  })

  t.test('refuses envelopes and changes after it is closed', async (t) => {
    const { inbox, deliver } = await open(t)
    await inbox.close()
    t.equal(inbox.stats().available, false)
    await t.rejects(deliver(createEnvelope([['event', createRawEvent()]])), {
      code: 'APP_MONITORING_SPOOL_UNAVAILABLE'
    })
    await t.rejects(inbox.changes.createProject({ name: 'x' }), { code: 'APP_INBOX_UNAVAILABLE', statusCode: 503 })
  })
})

t.test('a scan that takes too long is ended, and the next scan is answered', async (t) => {
  const { inbox, file } = await open(t)
  await inbox.close()
  const scans = new QueryThread({ file }, { deadline: 300 })
  t.teardown(() => scans.close())
  execute(
    file,
    `ALTER TABLE vital_hour RENAME TO apart;
     CREATE VIEW vital_hour AS WITH RECURSIVE long (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM long LIMIT 20000000)
       SELECT 1 AS project, n AS hour, 'LCP' AS vital, '/' AS page, '' AS environment, 0 AS release, 1 AS bucket, 1 AS samples FROM long`
  )
  const slow = scans.run('listVitals', { view: view() })
  const behind = scans.run('listRoutes', { view: view() })
  await t.rejects(slow, { code: 'APP_INBOX_TOO_SLOW', statusCode: 503 })
  t.same(await behind, [])
  execute(file, 'DROP VIEW vital_hour; ALTER TABLE apart RENAME TO vital_hour')
  t.same(await scans.run('listVitals', { view: view() }), [])
  const many = Array.from({ length: 100 }, () => scans.run('listRoutes', { view: view() }))
  const results = await Promise.allSettled(many)
  t.ok(results.some(({ status }) => status === 'fulfilled'))
  t.match(
    results.find(({ status }) => status === 'rejected'),
    { reason: { code: 'APP_INBOX_TOO_SLOW' } },
    'scans that cannot be answered in time are refused'
  )
})

t.test('a change that waits too long for another process is refused, and is not made', async (t) => {
  const { inbox, file } = await open(t)
  const other = new DatabaseSync(file, { timeout: 5_000 })
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const unavailable = { code: 'APP_INBOX_UNAVAILABLE', statusCode: 503 }
  await t.rejects(inbox.changes.createProject({ name: 'Shop' }), unavailable)
  other.exec('COMMIT')
  t.match(await inbox.changes.createProject({ name: 'Blog' }), { name: 'Blog' })
  t.notOk((await inbox.queries.listProjects()).some(({ name }) => name === 'Shop'))
})
