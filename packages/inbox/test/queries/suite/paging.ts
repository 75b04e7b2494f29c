import type { Test } from 'tap'
import { DAY } from '@hull/common/time.ts'
import type { IssueListQuery, IssueRow, IssueSort } from '../../../src/queries/issues/issue-types.ts'
import { seedInbox } from '../../helpers/seed-inbox.ts'
import { Random } from '../../../src/seed/random.ts'
import type { OpenStore } from './scene.ts'

const FIELDS = { last: 'lastSeen', first: 'firstSeen', events: 'events', visitors: 'visitors' } as const

/** Tests the pages of thousands of issues, and that both query plans for a search give the same result. */
export async function testPaging(t: Test, open: OpenStore): Promise<void> {
  const { store, queries } = await open(t)
  const now = Date.now()
  seedInbox(store, { events: 6_000, issues: 2_500, now })
  const view = { since: now - 40 * DAY, until: now + 1 }
  const sorts = Object.keys(FIELDS) as IssueSort[]

  /** Reads all pages. */
  async function listAll(query: Partial<IssueListQuery>, direction: 'next' | 'previous' = 'next', from?: string) {
    const issues: IssueRow[] = []
    let cursor = from
    do {
      const page = await queries.listIssues({ view, limit: 200, ...query, ...(cursor !== undefined && { cursor }) })
      if (direction === 'next') issues.push(...page.issues)
      else issues.unshift(...page.issues)
      cursor = page[direction]
    } while (cursor !== undefined)
    return issues
  }

  for (const sort of sorts)
    t.test(`by ${sort}, the pages contain every issue once, in order, forwards and backwards`, async (t) => {
      const issues = await listAll({ sort, query: '' })
      t.equal(issues.length, 2_500)
      t.equal(new Set(issues.map(({ id }) => id)).size, 2_500)
      const field = FIELDS[sort]
      for (let index = 1; index < issues.length; index++) {
        const [before, after] = [issues[index - 1]!, issues[index]!]
        const isOrdered = before[field] > after[field] || (before[field] === after[field] && before.id > after.id)
        if (!isOrdered) t.fail(`${before.id} is before ${after.id}`)
      }
      const middle = await queries.listIssues({ view, sort, query: '', limit: 100 })
      const second = await queries.listIssues({ view, sort, query: '', limit: 100, cursor: middle.next! })
      t.equal(middle.previous, undefined)
      const back = await queries.listIssues({ view, sort, query: '', limit: 100, cursor: second.previous! })
      t.same(back.issues, middle.issues)
      t.equal(back.previous, undefined)
      t.equal(back.next, middle.next)
      const third = await queries.listIssues({ view, sort, query: '', limit: 100, cursor: second.next! })
      t.same((await listAll({ sort, query: '' }, 'previous', third.previous)).slice(-200), issues.slice(0, 200))
    })

  t.test('a cursor is valid only for the order for which it was made', async (t) => {
    const { next } = await queries.listIssues({ view, limit: 1 })
    await t.rejects(queries.listIssues({ view, sort: 'events', cursor: next! }), { code: 'APP_INBOX_CURSOR_INVALID' })
  })

  t.test('a page has at most 200 issues and at least one', async (t) => {
    const count = async (limit: number) => (await queries.listIssues({ view, query: '', limit })).issues.length
    t.same([await count(1_000), await count(0), await count(-5), await count(1.5)], [200, 1, 1, 1])
  })

  t.test('a search by tags finds issues in the same order, whether many or few have the tag', async (t) => {
    const all = await listAll({ query: '' })
    const tagged = (name: string, value: string) =>
      new Set(
        store
          .all<{ issue: number }>('SELECT issue FROM issue_tag WHERE name = ? AND value = ?', name, value)
          .map(({ issue }) => issue)
      )
    const [production, region, old] = [
      tagged('environment', 'production'),
      tagged('region', 'us-east'),
      tagged('release', '1.3.0')
    ]
    t.ok(production.size > 1_000 && old.size < 1_000, 'both query plans are used')
    const cases: [query: string, holds: (issue: IssueRow) => boolean][] = [
      ['env:production', ({ id }) => production.has(id)],
      ['env:production tag:region=us-east', ({ id }) => production.has(id) && region.has(id)],
      ['release:1.3.0', ({ id }) => old.has(id)],
      [
        'release:1.3.0 -tag:region=us-east is:resolved',
        ({ id, state }) => old.has(id) && !region.has(id) && state === 'resolved'
      ],
      ['-env:production side:server', ({ id, side }) => !production.has(id) && side === 'server'],
      ['is:new', ({ isNew }) => isNew],
      ['undefined', ({ value }) => value.includes('undefined')]
    ]
    for (const [index, [query, holds]] of cases.entries())
      for (const sort of index < 3 ? sorts : [sorts[index % sorts.length]!]) {
        const wanted = all.filter(holds).sort((a, b) => b[FIELDS[sort]] - a[FIELDS[sort]] || b.id - a.id)
        const found = await listAll({ query, sort, limit: new Random(wanted.length).between(100, 200) })
        t.ok(wanted.length > 0)
        t.same(
          found.map(({ id }) => id),
          wanted.map(({ id }) => id),
          `${query} by ${sort}`
        )
        t.equal((await queries.listIssues({ view, query, sort, limit: 1 })).total, wanted.length, query)
      }
  })

  t.test('each tab shows the number of issues in its list, with the same search, release or environment', async (t) => {
    const tabs = ['unresolved', 'regressed', 'resolved', 'ignored'] as const
    const cases: [text: string, over: object][] = [
      ['side:browser', {}],
      ['release:1.3.0 -tag:region=us-east', {}],
      ['undefined', {}],
      ['', { environment: 'production' }],
      ['', { release: '1.3.0' }],
      ['', { until: now - 2 * DAY }]
    ]
    for (const [text, over] of cases) {
      const narrowed = { ...view, ...over }
      const lists = await Promise.all(
        tabs.map((tab) => queries.listIssues({ view: narrowed, query: `${text} is:${tab}`, limit: 1 }))
      )
      const all = await listAll({ view: narrowed, query: text })
      const count = (...states: string[]) => all.filter(({ state }) => states.includes(state)).length
      const counted = {
        unresolved: count('unresolved', 'regressed'),
        regressed: count('regressed'),
        resolved: count('resolved'),
        ignored: count('ignored')
      }
      t.ok(counted.regressed > 0 && counted.unresolved < 2_500)
      for (const [i, { total, counts }] of lists.entries()) {
        t.same(counts, counted, `${text} ${JSON.stringify(over)} on ${tabs[i]}`)
        t.equal(total, counted[tabs[i]!], 'the number of the tab is the number of its list')
      }
    }
  })

  t.test('counts the issues of a state, up to ten thousand', async (t) => {
    const unresolved = (await listAll({ query: '' })).filter(
      ({ state }) => state === 'unresolved' || state === 'regressed'
    ).length
    const count = async () => (await queries.listIssues({ view })).counts.unresolved
    t.ok(unresolved > 1_000)
    t.equal(await count(), unresolved)
    const { total } = await queries.listIssues({ view, limit: 1 })
    t.equal(total, unresolved, 'the number of the tab is the number of its list')
    store.run(
      `INSERT INTO issue (project, type, value, culprit, level, side, first_seen, last_seen)
       WITH RECURSIVE counter (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 11000)
       SELECT 1, 'TypeError', number, 'a.ts:b', 'error', 'browser', ?1, ?1 FROM counter`,
      now
    )
    t.equal(await count(), 10_000)
    t.equal((await queries.listIssues({ view })).total, 10_000)
    const { total: ofBrowser, counts } = await queries.listIssues({ view, query: 'is:unresolved side:browser' })
    t.same([ofBrowser, counts.unresolved], [10_000, 10_000])
  })
}
