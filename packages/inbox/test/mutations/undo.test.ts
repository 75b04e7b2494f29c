import t from 'tap'
import { addComment } from '../../src/mutations/comments.ts'
import { ignoreIssues, reopenIssues, resolveIssues, undo } from '../../src/mutations/issues.ts'
import { applyEventToState, type IssueStateRow } from '../../src/store/issue-state.ts'
import { addIssue, addPerson, addRelease, createStore, findRow, listActivity } from '../helpers/store.ts'

const NOW = 5_000

t.test('restores the previous state, so that an issue that was new is new again', async (t) => {
  const store = createStore(t)
  addRelease(store, '1.0.0')
  for (const change of [resolveIssues, ignoreIssues]) {
    const issue = addIssue(store)
    const before = findRow(store, 'issue', issue)
    const entries = change(store, { issues: [{ id: issue }], who: 1 }, NOW).undo
    t.strictSame(undo(store, { activities: entries, who: 2 }, NOW + 1), { changed: [issue], conflicts: [], undo: [] })
    t.strictSame(findRow(store, 'issue', issue), { ...before, version: 3 }, change.name)
    t.match(listActivity(store, issue)[1], { who: 2, kind: 'undone' })
  }
})

t.test('restores all columns of the previous state', async (t) => {
  const store = createStore(t)
  addRelease(store, '1.0.0')
  const issues = [{ id: addIssue(store) }]
  const steps = [
    () => resolveIssues(store, { issues, who: 1, inNext: true }, NOW),
    () => ignoreIssues(store, { issues, who: 1, events: 7, until: NOW + 99 }, NOW)
  ]
  for (const step of steps) {
    step()
    const before = findRow(store, 'issue', issues[0]!.id)!
    const { undo: entries } = reopenIssues(store, { issues, who: 1 }, NOW + 1)
    undo(store, { activities: entries, who: 1 }, NOW + 2)
    t.strictSame(findRow(store, 'issue', issues[0]!.id), { ...before, version: Number(before.version) + 2 })
  }
})

t.test('changes nothing after a later change by a person or an event', async (t) => {
  const store = createStore(t)
  const ada = addPerson(store, 'Ada')
  const issue = addIssue(store)
  const first = resolveIssues(store, { issues: [{ id: issue }], who: 1 }, NOW).undo
  ignoreIssues(store, { issues: [{ id: issue }], who: ada }, NOW + 1)
  addComment(store, { issue, text: 'A comment changes nothing.', who: addPerson(store, 'Bea') })
  t.strictSame(undo(store, { activities: first, who: 1 }, NOW + 2), {
    changed: [],
    conflicts: [{ id: issue, state: 'ignored', at: NOW + 1, who: 'Ada' }],
    undo: []
  })
  const other = addIssue(store)
  const second = resolveIssues(store, { issues: [{ id: other }], who: 1 }, NOW).undo
  applyEventToState(store, findRow(store, 'issue', other) as unknown as IssueStateRow, { release: null, now: NOW + 1 })
  t.strictSame(undo(store, { activities: second, who: 1 }).conflicts, [{ id: other, state: 'regressed', at: NOW + 1 }])
  t.equal(findRow(store, 'issue', other)?.state, 'regressed')
})

t.test('undoes a change only once', async (t) => {
  const store = createStore(t)
  const issue = addIssue(store)
  const entries = resolveIssues(store, { issues: [{ id: issue }], who: 1 }, NOW).undo
  t.strictSame(undo(store, { activities: [...entries, ...entries], who: 1 }).changed, [issue])
  t.match(undo(store, { activities: entries, who: 1 }), { changed: [], conflicts: [{ id: issue }] })
})

t.test('refuses changes by events, and unknown changes', async (t) => {
  const store = createStore(t)
  const issue = addIssue(store)
  resolveIssues(store, { issues: [{ id: issue }], who: 1 }, NOW)
  applyEventToState(store, findRow(store, 'issue', issue) as unknown as IssueStateRow, { release: null, now: NOW })
  const { id } = store.get<{ id: number }>('SELECT max(id) AS id FROM activity')!
  t.strictSame(undo(store, { activities: [id, 999], who: 1 }), { changed: [], conflicts: [], undo: [] })
  t.throws(() => undo(store, { activities: [], who: 1 }), { code: 'APP_INBOX_NOTHING_SELECTED' })
})
