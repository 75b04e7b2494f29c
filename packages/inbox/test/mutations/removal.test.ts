import t from 'tap'
import { deleteIssues, mergeIssues, resolveIssues } from '../../src/mutations/issues.ts'
import { workOff } from '../../src/jobs/jobs.ts'
import type { Store } from '../../src/store/store.ts'
import { listFigures, receive, receiveAll } from '../helpers/receive.ts'
import { addPerson, createStore, findRow } from '../helpers/store.ts'

const NOW = Date.UTC(2026, 10, 21)

const attach = (store: Store, eventId: string, project = 1) =>
  store.run(
    `INSERT INTO attachment (project, event_id, filename, size, received) VALUES (?, ?, 'shot.png', 1, 1)`,
    project,
    eventId
  )
const comment = (store: Store, about: string, project = 1) =>
  store.run(
    `INSERT INTO feedback (project, event_id, about, at, received, message) VALUES (?, 'f' || ?, ?, 1, 1, 'broken')`,
    project,
    about,
    about
  )
/** Returns the numbers of rows in all tables that belong to issues. */
const countRows = (store: Store) =>
  Object.fromEntries(
    [
      'issue',
      'issue_key',
      'event',
      'event_payload',
      'issue_hour',
      'issue_tag',
      'issue_visitor',
      'activity',
      'issue_search',
      'attachment',
      'feedback',
      'issue_chore'
    ].map((table) => [table, store.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)!.count])
  )

t.test('deleting an issue deletes all its data, and no data of other issues', async (t) => {
  const store = createStore(t)
  receive(store, { group: 'kept', visitor: 'ada', release: '1.0.0', eventId: 'a1' })
  attach(store, 'a1')
  comment(store, 'a1')
  attach(store, 'fa1')
  attach(store, 'b2', 2)
  comment(store, 'b2', 2)
  attach(store, 'fb2', 2)
  const [rows, figures] = [countRows(store), listFigures(store)]
  const issue = receive(store, { group: 'gone', visitor: 'ada', release: '1.0.0', eventId: 'b2', tags: [['a', 'b']] })
  receive(store, { group: 'gone', visitor: 'bob', eventId: 'b3' })
  attach(store, 'b2')
  comment(store, 'b2')
  attach(store, 'fb2')
  resolveIssues(store, { issues: [{ id: issue }], who: 1 }, NOW)
  t.strictSame(deleteIssues(store, { issues: [{ id: issue }], who: 1 }), { deleted: [issue], conflicts: [] })
  t.strictSame(countRows(store), rows)
  t.strictSame(listFigures(store), figures)
})

t.test('the audit log does not contain the message of a deleted issue', async (t) => {
  const store = createStore(t)
  const who = addPerson(store, 'Grace')
  const exceptions = [{ type: 'MailError', value: 'ada@example.org has no mailbox', frames: [] }]
  const issue = receive(store, { group: 'mail', exceptions })
  deleteIssues(store, { issues: [{ id: issue }], who })
  t.same(store.all('SELECT detail FROM audit'), [{ detail: `${issue} MailError` }])
})

t.test('a later event creates a new issue with another id', async (t) => {
  const store = createStore(t)
  const issue = receive(store, { group: 'cart' })
  deleteIssues(store, { issues: [{ id: issue }], who: 1 })
  const made = receive(store, { group: 'cart' })
  t.ok(made > issue)
  t.match(findRow(store, 'issue', made), { events: 1, state: 'unresolved' })
})

t.test('deleting an issue also deletes the issues that were merged into it', async (t) => {
  const store = createStore(t)
  const [into, other] = [receive(store, { group: 'cart' }), receive(store, { group: 'form' })]
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  deleteIssues(store, { issues: [{ id: into }], who: 1 })
  t.ok(Object.values(countRows(store)).every((count) => count === 0))
})

t.test('does not delete issues that changed in the meantime', async (t) => {
  const store = createStore(t)
  const issue = receive(store, { group: 'cart' })
  resolveIssues(store, { issues: [{ id: issue }], who: addPerson(store, 'Ada') }, NOW)
  t.strictSame(deleteIssues(store, { issues: [{ id: issue, version: 1 }, { id: 999 }], who: 1 }), {
    deleted: [],
    conflicts: [{ id: issue, state: 'resolved', who: 'Ada', at: NOW }]
  })
})

t.test('a very large issue is deleted at once, and its rows follow in chunks', async (t) => {
  const store = createStore(t)
  const issue = receive(store, { group: 'giant' })
  store.transaction(() => {
    const others = Array.from({ length: 5_999 }, (_, index) => index + 1)
    receiveAll(
      store,
      others.map((count) => ({ group: 'giant', visitor: `v${count}`, keepsPayload: count % 10 === 0 }))
    )
  })
  deleteIssues(store, { issues: [{ id: issue }], who: 1 })
  t.equal(findRow(store, 'issue', issue), undefined)
  t.strictSame(store.all('SELECT * FROM issue_key'), [])
  t.equal(countRows(store).event, 1_000)
  const made = receive(store, { group: 'giant', visitor: 'ada' })
  const left = () => countRows(store).event! - 1
  for (let before = left(); workOff(store); before = left()) t.ok(before - left() <= 500)
  t.match(countRows(store), { issue: 1, event: 1, event_payload: 1, issue_hour: 1, issue_visitor: 1, issue_chore: 0 })
  t.match(findRow(store, 'issue', made), { events: 1, visitors: 1 })
})

t.test('many small issues are deleted at once', async (t) => {
  const store = createStore(t)
  const groups = Array.from({ length: 300 }, (_, number) => ({ group: `g${number}` }))
  const issues = receiveAll(store, groups).map((id) => ({ id }))
  t.equal(deleteIssues(store, { issues, who: 1 }).deleted.length, 300)
  t.ok(Object.values(countRows(store)).every((count) => count === 0))
})
