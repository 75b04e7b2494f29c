import t from 'tap'
import { deleteIssues, ignoreIssues, mergeIssues, resolveIssues, undo, unmergeKey } from '../../src/mutations/issues.ts'
import { addComment, changeComment, removeComment } from '../../src/mutations/comments.ts'
import { askActivity, listComments } from '../../src/queries/issues/activity.ts'
import { workOff } from '../../src/jobs/jobs.ts'
import { ensureOwnProject } from '../../src/store/projects.ts'
import { removeEmptyIssues, removeExpiredIssues } from '../../src/store/retention/issues.ts'
import type { Store } from '../../src/store/store.ts'
import { listFigures, receive, receiveAll } from '../helpers/receive.ts'
import { createException } from '../helpers/event.ts'
import { addPerson, createStore, findRow, listActivity } from '../helpers/store.ts'

const NOW = Date.UTC(2026, 10, 21)
const HOUR = 3_600_000

const error = (value: string) => [createException({ value })]
const keyOf = (store: Store, group: string, issue: number) =>
  store.all<{ id: number }>('SELECT id FROM issue_key WHERE issue = ? AND why LIKE ?', issue, `%"${group}"%`)[0]!.id
const search = (store: Store, word: string) =>
  store
    .all<{ rowid: number }>('SELECT rowid FROM issue_search WHERE issue_search MATCH ? ORDER BY rowid', `"${word}"`)
    .map(({ rowid }) => rowid)

/** Creates two issues with two events each, which share a visitor, an hour and some tags. */
function seed(store: Store) {
  const cart = { group: 'cart', exceptions: error('cart broke') }
  const form = { group: 'form', exceptions: error('form broke') }
  const into = receive(store, {
    ...cart,
    at: 10 * HOUR,
    release: '1.0.0',
    visitor: 'ada',
    url: '/a',
    tags: [['colour', 'red']]
  })
  receive(store, { ...cart, at: 12 * HOUR, release: '1.1.0', visitor: 'bob', browser: 'Firefox' })
  const other = receive(store, { ...form, at: 12 * HOUR + 1, release: '1.1.0', visitor: 'bob', url: '/b', os: 'Linux' })
  receive(store, { ...form, at: 14 * HOUR, release: '1.2.0', visitor: 'cid', tags: [['colour', 'red']] })
  return { into, other }
}

t.test('a merged issue has all data of both issues', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const who = addPerson(store, 'Ada')
  const { changed, conflicts, undo } = mergeIssues(store, { issues: [{ id: other }], into, who }, NOW)
  t.strictSame({ changed, conflicts, entries: undo.length }, { changed: [into, other], conflicts: [], entries: 1 })
  t.equal(findRow(store, 'issue', other), undefined)
  t.match(findRow(store, 'issue', into), {
    events: 4,
    visitors: 3,
    first_seen: 10 * HOUR,
    last_seen: 14 * HOUR,
    first_release: 1,
    last_release: 3,
    state: 'unresolved',
    changed: null
  })
  const { hours, visitors, tags, keys, events, releases } = listFigures(store)
  t.match(hours, [
    { issue: into, hour: 10, events: 1 },
    { issue: into, hour: 12, events: 2 },
    { issue: into, hour: 14, events: 1 }
  ])
  t.match(visitors, [
    { issue: into, visitor: 'ada', last_seen: 10 * HOUR },
    { issue: into, visitor: 'bob', last_seen: 12 * HOUR + 1 },
    { issue: into, visitor: 'cid', last_seen: 14 * HOUR }
  ])
  t.match(
    tags.filter(({ name }) => name === 'colour' || name === 'release'),
    [
      { issue: into, name: 'colour', value: 'red', events: 2 },
      { issue: into, name: 'release', value: '1.0.0', events: 1 },
      { issue: into, name: 'release', value: '1.1.0', events: 2 },
      { issue: into, name: 'release', value: '1.2.0', events: 1 }
    ]
  )
  t.ok([...tags, ...events, ...keys].every(({ issue }) => issue === into))
  t.match(keys, [{ merged_from: null }, { merged_from: other }])
  t.match(releases, [{ new_issues: 1 }, { new_issues: 0 }, { new_issues: 0 }], 'one issue is new, not two')
  t.match(listActivity(store, into).at(-1), { who, kind: 'merged', data: { issues: 1, from: `${other}` } })
})

t.test('comments on a merged issue are read, changed and deleted on the remaining issue', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const who = addPerson(store, 'Ada')
  const [own, moved, gone] = [into, other, other].map((issue, i) =>
    addComment(store, { issue, who, text: `text ${i}` })
  )
  mergeIssues(store, { issues: [{ id: into }, { id: other }], into, who }, NOW)
  const textsOf = (id: number) => listComments(store, { id }).comments.map(({ text }) => text)
  t.same(textsOf(into), ['text 2', 'text 1', 'text 0'])
  const { activity } = askActivity(store, into)()
  t.same(
    activity.filter(({ kind }) => kind === 'commented').map(({ id }) => id),
    [gone, moved, own]
  )
  t.equal(activity.filter(({ kind }) => kind === 'merged').length, 1, 'other entries stay with their issue')
  changeComment(store, { issue: into, comment: moved!, who, text: 'changed' })
  removeComment(store, { issue: into, comment: gone!, who })
  t.same(textsOf(into), ['changed', 'text 0'])
  undo(store, { activities: [activity.find(({ kind }) => kind === 'merged')!.id], who }, NOW)
  t.same([textsOf(into), textsOf(other)], [['text 0'], ['changed']])
  t.throws(() => removeComment(store, { issue: into, comment: moved!, who }), { code: 'APP_INBOX_COMMENT_NOT_FOUND' })
})

t.test('a later event of a merged issue belongs to the remaining issue', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  t.equal(receive(store, { group: 'form' }), into)
  t.equal(findRow(store, 'issue', into)?.events, 5)
})

t.test('a merged issue is found by the texts of both issues', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  t.strictSame(search(store, 'cart'), [into])
  t.strictSame(search(store, 'form'), [into])
  t.strictSame(search(store, 'broke'), [into])
  receive(store, { group: 'cart', at: 20 * HOUR, exceptions: error('basket burst') })
  t.strictSame(search(store, 'form'), [into], 'also after it was renamed')
})

t.test('undo restores merged issues exactly', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const third = receive(store, { group: 'third', visitor: 'ada', at: 9 * HOUR, release: '1.0.0' })
  resolveIssues(store, { issues: [{ id: other }], who: 1 }, NOW)
  const before = listFigures(store)
  const entries = mergeIssues(store, { issues: [{ id: other }, { id: third }], into, who: 1 }, NOW).undo
  t.equal(findRow(store, 'issue', into)?.first_seen, 9 * HOUR)
  t.strictSame(undo(store, { activities: entries, who: 1 }, NOW).changed, [into, other, third])
  t.strictSame(listFigures(store), before)
  t.equal(findRow(store, 'issue', other)?.state, 'resolved')
  t.strictSame(undo(store, { activities: entries, who: 1 }, NOW).changed, [])
  t.strictSame(store.all('SELECT * FROM issue_chore'), [])
})

t.test('undo restores an issue that was merged when the table had another column', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const before = listFigures(store)
  const entries = mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW).undo
  const saved = store.get<{ before: string }>(
    'SELECT before FROM activity WHERE issue = ? AND before IS NOT NULL',
    other
  )!
  const { issue, ...others } = JSON.parse(saved.before)
  const earlier = JSON.stringify({ ...others, issue: { ...issue, former: 1 } })
  store.run('UPDATE activity SET before = ? WHERE issue = ? AND before IS NOT NULL', earlier, other)
  t.strictSame(undo(store, { activities: entries, who: 1 }, NOW).changed, [into, other])
  t.strictSame(listFigures(store), before)
})

t.test('undo also restores counts of events that the retention has deleted', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  for (const visitor of ['eve', 'fay', 'gus']) receive(store, { group: 'form', visitor })
  store.run(`DELETE FROM event WHERE visitor IN ('eve', 'fay')`)
  store.run(`DELETE FROM issue_visitor WHERE visitor IN ('eve', 'fay')`)
  ignoreIssues(store, { issues: [{ id: other }], who: 1, events: 2 }, NOW)
  ignoreIssues(store, { issues: [{ id: into }], who: 1, events: 7 }, NOW)
  const list = () => store.all('SELECT id, state, events, visitors, ignored_until_events FROM issue ORDER BY id')
  const before = list()
  const entries = mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW).undo
  t.match(findRow(store, 'issue', into), { events: 7, visitors: 6, ignored_until_events: 14 })
  undo(store, { activities: entries, who: 1 }, NOW)
  t.strictSame(list(), before)
  receive(store, { group: 'form' })
  t.equal(findRow(store, 'issue', other)?.state, 'ignored')
  receive(store, { group: 'form' })
  t.equal(findRow(store, 'issue', other)?.state, 'unresolved')
})

t.test('undo restores the time and release of the first event, even if that event is deleted', async (t) => {
  const store = createStore(t)
  const { into } = seed(store)
  const third = receive(store, { group: 'third', at: 9 * HOUR, release: '1.0.0' })
  store.run('DELETE FROM event WHERE issue = ? AND at = ?', into, 10 * HOUR)
  store.run("DELETE FROM issue_tag WHERE issue = ? AND name = 'release' AND value = '1.0.0'", into)
  const before = listFigures(store)
  const entries = mergeIssues(store, { issues: [{ id: third }], into, who: 1 }, NOW).undo
  undo(store, { activities: entries, who: 1 }, NOW)
  t.strictSame(listFigures(store), before)
})

t.test('undo removes the releases of the other issue from an issue that had none', async (t) => {
  const store = createStore(t)
  const into = receive(store, { group: 'cart', at: 10 * HOUR })
  const other = receive(store, { group: 'form', at: 12 * HOUR, release: '1.0.0' })
  const plain = receive(store, { group: 'plain', at: 13 * HOUR })
  const before = listFigures(store)
  for (const [ids, target] of [
    [[other], into],
    [[into, plain], other]
  ] as const) {
    const entries = mergeIssues(store, { issues: ids.map((id) => ({ id })), into: target, who: 1 }, NOW).undo
    undo(store, { activities: entries, who: 1 }, NOW)
    t.strictSame(listFigures(store), before)
  }
})

t.test('undo assigns events that were received since the merge by their key', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const entries = mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW).undo
  receive(store, { group: 'form', visitor: 'dan', at: 20 * HOUR, release: '1.3.0' })
  receive(store, { group: 'cart', visitor: 'cid', at: 21 * HOUR, release: '1.3.0' })
  undo(store, { activities: entries, who: 1 }, NOW)
  t.match(findRow(store, 'issue', other), { events: 3, visitors: 3, last_seen: 20 * HOUR, last_release: 4 })
  t.match(findRow(store, 'issue', into), { events: 3, visitors: 3, last_seen: 21 * HOUR, last_release: 4 })
})

t.test('a key that is split off is an issue again, unresolved and with its old id', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  resolveIssues(store, { issues: [{ id: other }], who: 1 }, NOW)
  const before = listFigures(store)
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  const result = unmergeKey(store, { issue: into, key: keyOf(store, 'form', into), who: 2 }, NOW)
  t.strictSame(result, { issue: other, changed: [into, other] })
  const after = listFigures(store)
  t.equal(findRow(store, 'issue', other)?.state, 'unresolved')
  t.strictSame({ ...after, issues: [] }, { ...before, issues: [] })
  t.match(findRow(store, 'issue', other), { events: 2, visitors: 2, first_seen: 12 * HOUR + 1, value: 'form broke' })
  t.match(findRow(store, 'issue', into), { events: 2, visitors: 2, last_seen: 12 * HOUR, value: 'cart broke' })
  t.match(listActivity(store, into).at(-1), { who: 2, kind: 'unmerged', data: { issue: other } })
  t.match(listActivity(store, other).at(-1), { who: 2, kind: 'unmerged', data: { from: into } })
  t.equal(receive(store, { group: 'form' }), other)
})

t.test('a key that was never an issue becomes a new one, named after its own events', async (t) => {
  const store = createStore(t)
  const issue = receive(store, { group: 'cart', at: 10 * HOUR, exceptions: error('basket broke') })
  receive(store, { group: 'other', at: 12 * HOUR, exceptions: error('form broke'), release: '1.0.0' })
  store.run('UPDATE issue SET events = 2, last_seen = ? WHERE id = ?', 12 * HOUR, issue)
  store.run('UPDATE issue_key SET issue = ?', issue)
  store.run('UPDATE event SET issue = ?', issue)
  store.run('DELETE FROM issue WHERE id <> ?', issue)
  store.run('DELETE FROM issue_search WHERE rowid <> ?', issue)
  const { issue: made } = unmergeKey(store, { issue, key: keyOf(store, 'other', issue), who: 1 }, NOW)
  t.ok(made > 2, 'no id is used twice')
  t.match(findRow(store, 'issue', made), {
    first_seen: 12 * HOUR,
    last_seen: 12 * HOUR,
    value: 'form broke',
    events: 1
  })
  t.strictSame(search(store, 'form'), [made])
  t.strictSame(search(store, 'basket'), [issue])
})

t.test('a key that is split off has the times, release and title of its own events', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const third = receive(store, { group: 'third', at: 9 * HOUR, release: '1.0.0' })
  mergeIssues(store, { issues: [{ id: third }], into: other, who: 1 }, NOW)
  receive(store, { group: 'third', at: 20 * HOUR, release: '1.3.0', exceptions: error('list broke') })
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  unmergeKey(store, { issue: into, key: keyOf(store, 'form', into), who: 1 }, NOW)
  t.match(findRow(store, 'issue', other), {
    value: 'form broke',
    events: 2,
    first_seen: 12 * HOUR + 1,
    last_seen: 14 * HOUR,
    first_release: 2,
    last_release: 3
  })
  t.match(findRow(store, 'issue', into), { events: 4, first_seen: 9 * HOUR, last_seen: 20 * HOUR, first_release: 1 })
})

t.test('an event without a payload moves with the tags of its row', async (t) => {
  const store = createStore(t)
  const into = receive(store, { group: 'cart', url: '/a', browser: 'Firefox', tags: [['colour', 'red']] })
  const other = receive(store, { group: 'form', keepsPayload: false, url: '/a', route: '/x', browser: 'Safari' })
  const before = listFigures(store).tags
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  unmergeKey(store, { issue: into, key: keyOf(store, 'form', into), who: 1 }, NOW)
  t.strictSame(listFigures(store).tags, before)
})

t.test('merged issues can be merged again, and split again', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const last = receive(store, { group: 'last', visitor: 'eve', at: 30 * HOUR, release: '1.0.0' })
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  const before = listFigures(store)
  const entries = mergeIssues(store, { issues: [{ id: into }], into: last, who: 1 }, NOW).undo
  t.match(listFigures(store).keys, [{ merged_from: into }, { merged_from: other }, { merged_from: null }])
  t.match(findRow(store, 'issue', last), { events: 5, visitors: 4 })
  undo(store, { activities: entries, who: 1 }, NOW)
  t.strictSame(listFigures(store), before)
  t.equal(unmergeKey(store, { issue: into, key: keyOf(store, 'form', into), who: 1 }, NOW).issue, other)
})

t.test('the number of events until an ignored issue reopens continues after a merge', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  ignoreIssues(store, { issues: [{ id: into }], who: 1, events: 2 }, NOW)
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  receive(store, { group: 'form' })
  t.equal(findRow(store, 'issue', into)?.state, 'ignored')
  receive(store, { group: 'cart' })
  t.equal(findRow(store, 'issue', into)?.state, 'unresolved')
})

t.test('tags stay within their limits, and the rarest values are counted together', async (t) => {
  const store = createStore(t)
  const into = receive(store, { group: 'a' })
  for (let value = 0; value < 90; value++) receive(store, { group: 'a', tags: [['colour', `a${value}`]] })
  const other = receive(store, { group: 'b' })
  for (let value = 0; value < 90; value++) receive(store, { group: 'b', tags: [['colour', `b${value}`]] })
  receive(store, { group: 'b', tags: [['colour', 'b89']] })
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  const colours = store.all<{ value: string; events: number }>(
    `SELECT value, events FROM issue_tag WHERE name = 'colour'`
  )
  t.equal(colours.length, 101)
  t.equal(colours.find(({ value }) => value === '')?.events, 80)
  t.equal(colours.find(({ value }) => value === 'b89')?.events, 2)
})

t.test('releases are not counted together, because each of them finds the issue', async (t) => {
  const store = createStore(t)
  const into = receive(store, { group: 'a' })
  const other = receive(store, { group: 'b' })
  for (let number = 0; number < 60; number++)
    for (const group of ['a', 'b']) receive(store, { group, release: `${group}${number}` })
  mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
  const releases = store.all(`SELECT value FROM issue_tag WHERE name = 'release' AND value <> ''`)
  t.equal(releases.length, 120)
})

t.test('an invalid merge is refused', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const elsewhere = receive(store, { group: 'cart', project: 2 })
  const merge = (issues: { id: number; version?: number }[], target = into) =>
    mergeIssues(store, { issues, into: target, who: 1 }, NOW)
  const before = listFigures(store)
  t.throws(() => merge([]), { code: 'APP_INBOX_NOTHING_SELECTED' })
  t.throws(() => merge([{ id: into }]), { code: 'APP_INBOX_NOTHING_SELECTED' })
  t.throws(() => merge([{ id: other }], 999), { code: 'APP_INBOX_ISSUE_NOT_FOUND' })
  t.throws(() => merge([{ id: other }, { id: elsewhere }]), { code: 'APP_INBOX_MERGE_PROJECTS' })
  t.strictSame(merge([{ id: 999 }]), { changed: [], conflicts: [], undo: [] })
  const [key] = store.all<{ id: number }>('SELECT id FROM issue_key WHERE issue = ?', into)
  t.throws(() => unmergeKey(store, { issue: into, key: key!.id, who: 1 }), { code: 'APP_INBOX_KEY_ALONE' })
  t.throws(() => unmergeKey(store, { issue: other, key: key!.id, who: 1 }), { code: 'APP_INBOX_KEY_MOVED' })
  t.throws(() => unmergeKey(store, { issue: 999, key: key!.id, who: 1 }), { code: 'APP_INBOX_ISSUE_NOT_FOUND' })
  t.strictSame(listFigures(store), before)
})

t.test('issues that changed in the meantime are not merged', async (t) => {
  const store = createStore(t)
  const { into, other } = seed(store)
  const third = receive(store, { group: 'third' })
  resolveIssues(store, { issues: [{ id: other }], who: addPerson(store, 'Ada') }, NOW)
  const issues = [
    { id: other, version: 1 },
    { id: third, version: 1 }
  ]
  const result = mergeIssues(store, { issues, into, who: 2 }, NOW)
  t.match(result, { changed: [into, third], conflicts: [{ id: other, state: 'resolved', who: 'Ada' }] })
  const again = { issues: [{ id: into, version: 1 }, { id: other }], into, who: 2 }
  t.match(mergeIssues(store, again, NOW), { changed: [], conflicts: [{ id: into }] }, 'also not as the remaining issue')
})

t.test('a very large issue is merged at once, and its events move in chunks', async (t) => {
  const store = createStore(t)
  const into = receive(store, { group: 'small', visitor: 'v1', at: HOUR })
  const other = receive(store, { group: 'giant', visitor: 'v0', at: HOUR })
  store.transaction(() => {
    const others = Array.from({ length: 5_999 }, (_, index) => index + 1)
    receiveAll(
      store,
      others.map((count) => ({ group: 'giant', visitor: `v${count % 50}`, at: HOUR + count, keepsPayload: false }))
    )
  })
  const entries = mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW).undo
  t.equal(findRow(store, 'issue', into)?.events, 6_001)
  const moved = () => store.get<{ count: number }>('SELECT count(*) AS count FROM event WHERE issue = ?', into)!.count
  t.equal(moved(), 5_001)
  t.equal(receive(store, { group: 'giant' }), into, 'a new event belongs to the remaining issue')

  const refused = { code: 'APP_INBOX_ISSUE_BUSY' }
  t.throws(() => undo(store, { activities: entries, who: 1 }), refused)
  t.throws(() => deleteIssues(store, { issues: [{ id: into }], who: 1 }), refused)
  t.throws(() => unmergeKey(store, { issue: into, key: keyOf(store, 'giant', into), who: 1 }), refused)
  const third = receive(store, { group: 'third' })
  t.throws(() => mergeIssues(store, { issues: [{ id: third }], into, who: 1 }), refused)
  t.strictSame(
    resolveIssues(store, { issues: [{ id: into }], who: 1 }, NOW).changed,
    [into],
    'its state can still change'
  )

  let chunks = 1
  while (workOff(store)) chunks++
  t.ok(chunks >= 2, `${chunks} chunks`)
  t.equal(moved(), 6_002)
  t.equal(findRow(store, 'issue', into)?.visitors, 50)
  t.equal(workOff(store), false)
  const { issue } = unmergeKey(store, { issue: into, key: keyOf(store, 'giant', into), who: 1 }, NOW)
  while (workOff(store)) chunks++
  t.equal(issue, other)
  t.match(findRow(store, 'issue', other), { events: 6_001, visitors: 50 })
  t.match(findRow(store, 'issue', into), { events: 1, visitors: 1, first_seen: HOUR, last_seen: HOUR })
})

t.test('the retention keeps an issue that is being split off, until its events have moved', async (t) => {
  const removals = {
    'by age': (store: Store, before: number) => [...removeExpiredIssues(store, before)],
    'by size': (store: Store, before: number) => removeEmptyIssues(store, before)
  }
  for (const [name, remove] of Object.entries(removals))
    await t.test(name, async (t) => {
      const store = createStore(t)
      ensureOwnProject(store, NOW)
      const other = receive(store, { group: 'rare', at: HOUR })
      const into = receive(store, { group: 'giant', at: HOUR })
      mergeIssues(store, { issues: [{ id: other }], into, who: 1 }, NOW)
      store.run('DELETE FROM event')
      store.transaction(() => {
        const events = Array.from({ length: 600 }, (_, index) => 100 * HOUR + index)
        receiveAll(
          store,
          events.map((at) => ({ group: 'giant', at, keepsPayload: false }))
        )
      })
      receive(store, { group: 'rare', at: 101 * HOUR })
      const { issue } = unmergeKey(store, { issue: into, key: keyOf(store, 'rare', into), who: 1 }, NOW)
      t.match(findRow(store, 'issue', issue), { events: 0 }, 'its events move after many others')
      remove(store, 50 * HOUR)
      while (workOff(store));
      t.match(findRow(store, 'issue', issue), { events: 1, last_seen: 101 * HOUR })
      t.equal(receive(store, { group: 'rare' }), issue)
    })
})
