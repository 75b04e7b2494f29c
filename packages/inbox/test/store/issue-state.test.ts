import t from 'tap'
import {
  findCurrentRelease,
  applyEventToState,
  reopenDue,
  STATE_COLUMNS,
  writeState,
  type IssueStateRow
} from '../../src/store/issue-state.ts'
import type { Store } from '../../src/store/store.ts'
import { addIssue, addRelease, createStore, findRow, listActivity } from '../helpers/store.ts'

const NOW = 5_000

/** Counts an event and updates the state of its issue, as ingest does. */
function receive(store: Store, issue: number, release: number | null, now = NOW, stored = now) {
  const row = store.get<IssueStateRow>(
    `UPDATE issue SET events = events + 1 WHERE id = ? RETURNING ${STATE_COLUMNS}`,
    issue
  )!
  return applyEventToState(store, row, { release, now, stored })
}

t.test('a regression has the release in which the issue came back', async (t) => {
  const store = createStore(t)
  const [first, second] = [addRelease(store, '1.0.0'), addRelease(store, '1.1.0')]
  const issue = addIssue(store)
  writeState(store, issue, { state: 'resolved', resolvedRelease: first }, 2_000)
  t.equal(receive(store, issue, second), 'regressed')
  t.match(findRow(store, 'issue', issue), { state: 'regressed', changed: NOW, version: 3, resolved_release: null })
  t.strictSame(listActivity(store, issue), [
    { who: null, kind: 'regressed', data: { release: '1.1.0', resolvedRelease: '1.0.0' } }
  ])
  t.equal(findRow(store, 'release', second)?.regressions, 1)
  t.equal(receive(store, issue, second), undefined, 'an issue regresses once')
  t.equal(findRow(store, 'release', second)?.regressions, 1)
})

t.test('events of an older release are counted, and change nothing else', async (t) => {
  const store = createStore(t)
  const [first, second] = [addRelease(store, '1.0.0'), addRelease(store, '1.1.0')]
  const issue = addIssue(store)
  writeState(store, issue, { state: 'resolved', resolvedRelease: second }, 2_000)
  t.equal(receive(store, issue, first), undefined)
  t.equal(receive(store, issue, first), undefined)
  t.match(findRow(store, 'issue', issue), { state: 'resolved', in_old_release: 2, version: 2, changed: 2_000 })
  t.strictSame(listActivity(store, issue), [])
  writeState(store, issue, { state: 'unresolved' }, 3_000)
  t.match(findRow(store, 'issue', issue), { in_old_release: 0 }, 'the count restarts at 0 with the next state')
})

t.test('an event that was received before its issue was resolved changes nothing', async (t) => {
  const store = createStore(t)
  const release = addRelease(store, '1.0.0')
  const issue = addIssue(store)
  writeState(store, issue, { state: 'resolved', resolvedRelease: release }, NOW + 1)
  t.equal(receive(store, issue, release, NOW, NOW + 2), undefined)
  t.match(findRow(store, 'issue', issue), { state: 'resolved', in_old_release: 0, version: 2, changed: NOW + 1 })
  t.strictSame(listActivity(store, issue), [])
})

t.test('an ignored issue reopens with the last of the events for which it waits', async (t) => {
  const store = createStore(t)
  const issue = addIssue(store, { events: 3 })
  writeState(store, issue, { state: 'ignored', ignoredUntilEvents: 5 }, 2_000)
  t.equal(receive(store, issue, null), undefined)
  t.equal(receive(store, issue, null), 'unresolved')
  t.match(findRow(store, 'issue', issue), { state: 'unresolved', ignored_until_events: null, version: 3 })
  t.strictSame(listActivity(store, issue), [{ who: null, kind: 'reopened', data: { reason: 'events' } }])
})

t.test('an event after the date reopens an ignored issue before the timer does', async (t) => {
  const store = createStore(t)
  const issue = addIssue(store)
  writeState(store, issue, { state: 'ignored', ignoredUntil: NOW }, 2_000)
  t.equal(receive(store, issue, null, NOW - 1), undefined)
  t.equal(receive(store, issue, null, NOW), 'unresolved')
  t.strictSame(reopenDue(store, NOW), [], 'the timer finds no issue')
})

t.test('the timer reopens only the issues whose date has come', async (t) => {
  const store = createStore(t)
  const [due, later, forever, open] = [addIssue(store), addIssue(store), addIssue(store), addIssue(store)]
  writeState(store, due!, { state: 'ignored', ignoredUntil: NOW }, 2_000)
  writeState(store, later!, { state: 'ignored', ignoredUntil: NOW + 1 }, 2_000)
  writeState(store, forever!, { state: 'ignored' }, 2_000)
  t.strictSame(reopenDue(store, NOW), [due])
  t.match(findRow(store, 'issue', due!), { state: 'unresolved', ignored_until: null, changed: NOW })
  t.strictSame(listActivity(store, due!), [{ who: null, kind: 'reopened', data: { reason: 'date' } }])
  for (const issue of [later!, forever!]) t.equal(findRow(store, 'issue', issue)?.state, 'ignored')
  t.equal(findRow(store, 'issue', open!)?.changed, null)
  t.strictSame(reopenDue(store, NOW), [])
})

t.test('one call reopens at most 500 issues, and the next call the others', async (t) => {
  const store = createStore(t)
  for (let count = 0; count < 501; count++)
    writeState(store, addIssue(store), { state: 'ignored', ignoredUntil: 1 }, 2_000)
  t.equal(reopenDue(store, NOW).length, 500)
  t.equal(reopenDue(store, NOW).length, 1)
})

t.test('the current release is the newest one of the project', async (t) => {
  const store = createStore(t)
  t.equal(findCurrentRelease(store, 1), null)
  const mine = addRelease(store, '2.0.0')
  addRelease(store, '9.0.0', 2)
  t.equal(findCurrentRelease(store, 1), mine)
})
