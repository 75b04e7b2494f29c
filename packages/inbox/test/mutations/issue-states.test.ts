import t from 'tap'
import { deleteIssues, ignoreIssues, reopenIssues, resolveIssues } from '../../src/mutations/issues.ts'
import { addDeploy, declareRelease } from '../../src/mutations/releases.ts'
import { listDeploys } from '../../src/queries/releases/release-info.ts'
import { askNewestReleases } from '../../src/queries/scope.ts'
import { askVersions } from '../../src/queries/releases/versions.ts'
import { Releases } from '../../src/store/projects.ts'
import type { IssueState } from '../../src/store/model.ts'
import { applyEventToState, findCurrentRelease, writeState, type IssueStateRow } from '../../src/store/issue-state.ts'
import type { Store } from '../../src/store/store.ts'
import { addIssue, addPerson, addRelease, createStore, findRow, listActivity } from '../helpers/store.ts'

const NOW = 5_000
const STATES: IssueState[] = ['unresolved', 'regressed', 'resolved', 'ignored']

const inState = (store: Store, state: IssueState, over = {}) => {
  const issue = addIssue(store, over)
  if (state !== 'unresolved') writeState(store, issue, { state }, 2_000)
  return issue
}
const only = (id: number, version?: number) => [version === undefined ? { id } : { id, version }]

t.test('resolves in the current release, and records the person', async (t) => {
  const store = createStore(t)
  const who = addPerson(store, 'Ada')
  addRelease(store, '1.0.0')
  const current = addRelease(store, '1.1.0')
  addRelease(store, '9.0.0', 2)
  const issue = addIssue(store)
  const { changed, conflicts, undo } = resolveIssues(store, { issues: only(issue), who }, NOW)
  t.strictSame({ changed, conflicts, undos: undo.length }, { changed: [issue], conflicts: [], undos: 1 })
  t.match(findRow(store, 'issue', issue), {
    state: 'resolved',
    resolved_release: current,
    resolved_in_next: 0,
    changed: NOW,
    version: 2
  })
  t.strictSame(listActivity(store, issue), [
    { who, kind: 'resolved', data: { from: 'unresolved', release: '1.1.0', inNext: false } }
  ])
})

t.test('resolves in the next release', async (t) => {
  const store = createStore(t)
  const current = addRelease(store, '1.0.0')
  const issue = addIssue(store)
  resolveIssues(store, { issues: only(issue), who: 1, inNext: true }, NOW)
  t.match(findRow(store, 'issue', issue), { state: 'resolved', resolved_release: current, resolved_in_next: 1 })
  t.match(listActivity(store, issue), [{ data: { inNext: true } }])
})

t.test('a release that a build tool declares is the current one as soon as it runs, not before', async (t) => {
  const store = createStore(t)
  store.run("INSERT INTO project (id, name, key, created) VALUES (1, 'Shop', 'key', 1) ON CONFLICT DO NOTHING")
  const releases = new Releases(store)
  const running = releases.getOrCreateId(1, '1.9', 1)
  const declare = (version: string, at: number) =>
    declareRelease(store, { version, projects: [1], creates: true, commits: [{ id: 'c', title: version }], at, by: 1 })
  const issueOfNow = addIssue(store)
  const issueOfNext = addIssue(store)
  const receive = (issue: number, release: number | null) =>
    applyEventToState(store, findRow(store, 'issue', issue) as unknown as IssueStateRow, { release, now: NOW })
  declare('2.0', 2)
  declare('3.0', 3)
  t.equal(findCurrentRelease(store, 1), running)
  t.same([...askNewestReleases(store, [1])().values()], [running])
  t.same(askVersions(store, [1])(), ['1.9'])
  resolveIssues(store, { issues: only(issueOfNow), who: 1 }, NOW)
  resolveIssues(store, { issues: only(issueOfNext), who: 1, inNext: true }, NOW)
  t.equal(receive(issueOfNow, running), 'regressed')
  t.equal(receive(issueOfNext, running), undefined)

  addDeploy(store, { version: '3.0', projects: [1], environment: 'production', finished: 4, by: 1 }, 4)
  const [deployed] = listDeploys(store, { version: '3.0' })
  t.match(deployed, { environment: 'production' })
  const third = findCurrentRelease(store, 1)!
  declare('2.0', 5)
  t.equal(findCurrentRelease(store, 1), third)
  const next = releases.getOrCreateId(1, '2.0', 6)!
  t.ok(next > third, 'ordered by the first event')
  t.equal(releases.getOrCreateId(1, '2.0', 90_000), next)
  t.equal(findCurrentRelease(store, 1), next)
  t.match(findRow(store, 'release', next), { version: '2.0', first_seen: 6, commit_id: 'c' })
  t.match(store.all('SELECT title FROM release_commit WHERE release = ?', next), [{ title: '2.0' }])
  t.equal(receive(issueOfNext, next), 'regressed')
})

t.test('each change applies only to the states from which it is possible', async (t) => {
  const changes = [
    [resolveIssues, 'resolved', ['unresolved', 'regressed']],
    [ignoreIssues, 'ignored', ['unresolved', 'regressed', 'resolved']],
    [reopenIssues, 'unresolved', ['resolved', 'ignored']]
  ] as const
  for (const [change, to, from] of changes) {
    const store = createStore(t)
    const issues = STATES.map((state) => ({ id: inState(store, state), state }))
    const { changed } = change(store, { issues, who: 1 }, NOW)
    const expected = issues.filter(({ state }) => (from as readonly IssueState[]).includes(state)).map(({ id }) => id)
    t.strictSame(changed, expected, change.name)
    for (const { id, state } of issues) {
      t.equal(findRow(store, 'issue', id)?.state, expected.includes(id) ? to : state, `${change.name} ${state}`)
      t.equal(listActivity(store, id).length, expected.includes(id) ? 1 : 0)
    }
  }
})

t.test('ignores until a number of further events', async (t) => {
  const store = createStore(t)
  const issue = addIssue(store, { events: 40 })
  ignoreIssues(store, { issues: only(issue), who: 1, events: 10 }, NOW)
  const row = findRow(store, 'issue', issue) as unknown as IssueStateRow
  t.equal(row.ignored_until_events, 50)
  t.equal(applyEventToState(store, { ...row, events: 49 }, { release: null, now: NOW }), undefined)
  t.equal(applyEventToState(store, { ...row, events: 50 }, { release: null, now: NOW }), 'unresolved')
})

t.test('ignores until a date, forever, or until a date or a number of events', async (t) => {
  const store = createStore(t)
  const [dated, forever, both] = [addIssue(store), addIssue(store), addIssue(store)]
  ignoreIssues(store, { issues: only(dated!), who: 1, until: NOW + 1 }, NOW)
  ignoreIssues(store, { issues: only(forever!), who: 1 }, NOW)
  ignoreIssues(store, { issues: only(both!), who: 1, until: NOW + 1, events: 3 }, NOW)
  t.match(findRow(store, 'issue', dated!), { ignored_until: NOW + 1, ignored_until_events: null })
  t.match(findRow(store, 'issue', forever!), { ignored_until: null, ignored_until_events: null })
  t.match(findRow(store, 'issue', both!), { ignored_until: NOW + 1, ignored_until_events: 3 })
  t.match(listActivity(store, both!), [{ kind: 'ignored', data: { from: 'unresolved', events: 3, until: NOW + 1 } }])
})

t.test('a change removes the settings of the previous state', async (t) => {
  const store = createStore(t)
  addRelease(store, '1.0.0')
  const issue = addIssue(store)
  resolveIssues(store, { issues: only(issue), who: 1, inNext: true }, NOW)
  ignoreIssues(store, { issues: only(issue), who: 1, events: 3, until: NOW + 9 }, NOW)
  t.match(findRow(store, 'issue', issue), { resolved_release: null, resolved_in_next: 0 })
  reopenIssues(store, { issues: only(issue), who: 1 }, NOW)
  t.match(findRow(store, 'issue', issue), { ignored_until: null, ignored_until_events: null, version: 4 })
})

t.test('the second of two people sees who was first, and when', async (t) => {
  const store = createStore(t)
  const [ada, bob] = [addPerson(store, 'Ada'), addPerson(store, 'Bob')]
  const [issue, other] = [addIssue(store), addIssue(store)]
  resolveIssues(store, { issues: only(issue!, 1), who: ada! }, NOW)
  const both = [...only(issue!, 1), ...only(other!, 1)]
  t.match(ignoreIssues(store, { issues: both, who: bob! }, NOW + 1), {
    changed: [other],
    conflicts: [{ id: issue, state: 'resolved', who: 'Ada', at: NOW }]
  })
  t.equal(findRow(store, 'issue', issue!)?.state, 'resolved')
  t.strictSame(
    ignoreIssues(store, { issues: only(issue!, 2), who: bob! }, NOW + 2).changed,
    [issue],
    'changed with the current version'
  )
})

t.test('a conflict with an event names no person', async (t) => {
  const store = createStore(t)
  const issue = addIssue(store)
  resolveIssues(store, { issues: only(issue), who: addPerson(store, 'Ada') }, NOW)
  const row = findRow(store, 'issue', issue) as unknown as IssueStateRow
  applyEventToState(store, row, { release: addRelease(store, '1.0.0'), now: NOW + 1 })
  const { conflicts } = ignoreIssues(store, { issues: only(issue, 2), who: 1 }, NOW + 2)
  t.strictSame(conflicts, [{ id: issue, state: 'regressed', at: NOW + 1 }])
})

t.test('the version counts changes of the state: received events are no conflict', async (t) => {
  const store = createStore(t)
  const issue = addIssue(store)
  store.run('UPDATE issue SET events = events + 100 WHERE id = ?', issue)
  t.strictSame(resolveIssues(store, { issues: only(issue, 1), who: 1 }, NOW).changed, [issue])
})

t.test('skips deleted issues, and changes an issue that is listed twice only once', async (t) => {
  const store = createStore(t)
  const issue = addIssue(store)
  const { changed, conflicts } = resolveIssues(
    store,
    { issues: [{ id: 999 }, { id: issue }, { id: issue }], who: 1 },
    NOW
  )
  t.strictSame({ changed, conflicts }, { changed: [issue], conflicts: [] })
  t.equal(listActivity(store, issue).length, 1)
})

t.test('a thousand issues are changed at once, and one more is refused', async (t) => {
  const store = createStore(t)
  const issues = Array.from({ length: 1_000 }, () => ({ id: addIssue(store) }))
  t.equal(resolveIssues(store, { issues, who: 1 }, NOW).changed.length, 1_000)
  t.throws(() => resolveIssues(store, { issues: [...issues, { id: 1 }], who: 1 }), {
    code: 'APP_INBOX_TOO_MANY_SELECTED'
  })
})

t.test('refuses invalid input', async (t) => {
  const store = createStore(t)
  const issues = only(addIssue(store))
  for (const change of [resolveIssues, ignoreIssues, reopenIssues, deleteIssues])
    t.throws(() => change(store, { issues: [], who: 1 }), { code: 'APP_INBOX_NOTHING_SELECTED' }, change.name)
  for (const events of [0, -1, 1.5, NaN, Infinity, 2 ** 60])
    t.throws(
      () => ignoreIssues(store, { issues, who: 1, events }, NOW),
      { code: 'APP_INBOX_IGNORE_INVALID' },
      `${events}`
    )
  for (const until of [NOW, NOW - 1, -1, NaN, Infinity, 9e15])
    t.throws(
      () => ignoreIssues(store, { issues, who: 1, until }, NOW),
      { code: 'APP_INBOX_IGNORE_INVALID' },
      `${until}`
    )
  t.equal(findRow(store, 'issue', issues[0]!.id)?.version, 1)
})
