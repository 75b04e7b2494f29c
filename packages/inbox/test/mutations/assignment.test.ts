import t, { type Test } from 'tap'
import { assignIssues, mergeIssues, resolveIssues, undo } from '../../src/mutations/issues.ts'
import { followIssue } from '../../src/mutations/following.ts'
import { removePerson, setRoles } from '../../src/mutations/people.ts'
import { addIssue, addPerson, createStore, findRow, listActivity } from '../helpers/store.ts'

const NOW = 5_000

const openStore = (t: Test) => {
  const store = createStore(t)
  const people = { ada: addPerson(store, 'Ada'), bea: addPerson(store, 'Bea') }
  const issue = addIssue(store)
  const assigneeOf = (id = issue) => findRow(store, 'issue', id)?.assignee
  const assign = (assignee: number | null, issues = [{ id: issue }]) =>
    assignIssues(store, { issues, who: people.ada, assignee }, NOW)
  return { store, ...people, issue, assigneeOf, assign }
}

t.test('assigns an issue, and undoes that', (t) => {
  const { store, ada, bea, issue, assigneeOf, assign } = openStore(t)
  assign(ada)
  const { changed, undo: entries } = assign(bea)
  t.same(changed, [issue])
  t.equal(assigneeOf(), bea)
  t.match(listActivity(store, issue).at(-1), { who: ada, kind: 'assigned' })
  undo(store, { activities: entries, who: bea }, NOW + 1)
  t.equal(assigneeOf(), ada)
  t.same(assign(ada).changed, [], 'nothing changes')
  assign(null)
  t.equal(assigneeOf(), null)
  t.end()
})

t.test('an assignment does not conflict with a change of the state, and does not change the state', (t) => {
  const { store, ada, issue, assigneeOf, assign } = openStore(t)
  resolveIssues(store, { issues: [{ id: issue, version: 0 }], who: ada }, NOW)
  const before = findRow(store, 'issue', issue)!
  t.same(assign(ada, [{ id: issue, version: 0 } as { id: number }]).conflicts, [])
  t.strictSame(findRow(store, 'issue', issue), { ...before, assignee: ada })
  t.equal(assigneeOf(), ada)
  t.end()
})

t.test('an issue is assigned only to a person who can read the project', (t) => {
  const { store, ada, bea, assigneeOf, assign } = openStore(t)
  t.throws(() => assign(999), { code: 'APP_INBOX_ASSIGNEE_INVALID' })
  setRoles(store, { id: bea, role: 'none', by: ada })
  t.throws(() => assign(bea), { code: 'APP_INBOX_ASSIGNEE_INVALID' })
  store.run("INSERT INTO project (id, name, key, created) VALUES (1, 'Shop', 'key', 1)")
  setRoles(store, { id: bea, role: 'none', projects: { 1: 'viewer' }, by: ada })
  assign(bea)
  t.equal(assigneeOf(), bea)
  t.end()
})

t.test('a person without a role in the project has none of its issues, even if an assignment is undone', (t) => {
  const { store, ada, bea, issue, assigneeOf, assign } = openStore(t)
  for (const id of [1, 2])
    store.run('INSERT INTO project (id, name, key, created) VALUES (?, ?, ?, 1)', id, `p${id}`, `k${id}`)
  const other = addIssue(store, { project: 2 })
  assign(bea, [{ id: issue }, { id: other }])
  const { undo: entries } = assign(ada)
  setRoles(store, { id: bea, projects: { 1: 'none' }, by: ada })
  undo(store, { activities: entries, who: ada }, NOW + 1)
  t.equal(assigneeOf(), null)
  t.equal(assigneeOf(other), bea, 'an issue of another project')
  setRoles(store, { id: bea, role: 'none', by: ada })
  t.equal(assigneeOf(other), null)
  t.end()
})

t.test('a removed person is unassigned from all issues, also when an assignment is undone', (t) => {
  const { store, ada, bea, assigneeOf, assign } = openStore(t)
  assign(bea)
  const { undo: entries } = assign(ada)
  removePerson(store, { id: bea, by: ada })
  undo(store, { activities: entries, who: ada }, NOW + 1)
  t.equal(assigneeOf(), null)
  assign(ada)
  const other = addPerson(store, 'Cleo')
  assign(other)
  removePerson(store, { id: other, by: ada })
  t.equal(assigneeOf(), null)
  t.end()
})

t.test('a merge keeps the assignee of the remaining issue, and undoing it restores both assignees', (t) => {
  const { store, ada, bea, issue, assigneeOf, assign } = openStore(t)
  const other = addIssue(store)
  assign(ada)
  assign(bea, [{ id: other }])
  const { undo: entries } = mergeIssues(store, { issues: [{ id: other }], into: issue, who: ada }, NOW)
  t.equal(assigneeOf(), ada)
  undo(store, { activities: entries, who: ada }, NOW + 1)
  t.equal(assigneeOf(), ada)
  t.equal(assigneeOf(other), bea)
  t.end()
})

t.test('undoing a merge restores the followers of each issue, without a removed person', (t) => {
  const { store, ada, bea, issue, assigneeOf, assign } = openStore(t)
  const cleo = addPerson(store, 'Cleo')
  const other = addIssue(store)
  const followersOf = (id: number) =>
    store
      .all<{ person: number }>('SELECT person FROM issue_follower WHERE issue = ? ORDER BY person', id)
      .map(({ person }) => person)
  assign(ada)
  assign(bea, [{ id: other }])
  for (const who of [ada, cleo]) followIssue(store, { issue: other, who })
  const { undo: entries } = mergeIssues(store, { issues: [{ id: other }], into: issue, who: ada }, NOW)
  t.same(followersOf(issue), [ada, bea, cleo])
  removePerson(store, { id: bea, by: ada })
  undo(store, { activities: entries, who: ada }, NOW + 1)
  t.equal(assigneeOf(other), null)
  t.same(followersOf(other), [ada, cleo])
  t.same(followersOf(issue), [ada])
  t.end()
})
