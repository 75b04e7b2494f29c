import t from 'tap'
import type { IssueState } from '../../src/store/model.ts'
import { findTransition, type StateTrigger, type StateRow } from '../../src/store/issue-state.ts'

const NOW = 1_000_000
const CURRENT = 5
const STATES: IssueState[] = ['unresolved', 'regressed', 'resolved', 'ignored']

const issueOf = (over: Partial<StateRow>): StateRow => ({
  state: 'unresolved',
  resolved_release: null,
  resolved_in_next: 0,
  ignored_until_events: null,
  ignored_until: null,
  events: 10,
  changed: null,
  ...over
})
const resolvedNow = issueOf({ state: 'resolved', resolved_release: CURRENT })
const resolvedInNext = issueOf({ state: 'resolved', resolved_release: CURRENT, resolved_in_next: 1 })

/** Returns the new state; `old` if the event counts as one of an old release, undefined if nothing changes. */
const lead = (issue: Partial<StateRow>, trigger: Omit<StateTrigger, 'now'>) => {
  const transition = findTransition(issueOf(issue), { now: NOW, ...trigger })
  return transition?.countsAsOld ? 'old' : transition?.to
}

t.test('transitions made by people', async (t) => {
  const table: [on: StateTrigger['on'], to: IssueState, from: IssueState[]][] = [
    ['resolve', 'resolved', ['unresolved', 'regressed']],
    ['resolveInNext', 'resolved', ['unresolved', 'regressed']],
    ['ignore', 'ignored', ['unresolved', 'regressed', 'resolved']],
    ['reopen', 'unresolved', ['resolved', 'ignored']]
  ]
  for (const [on, to, from] of table)
    for (const state of STATES)
      t.equal(lead({ state }, { on }), from.includes(state) ? to : undefined, `${state}: ${on}`)
})

t.test('an event does not change an open issue', async (t) => {
  for (const state of ['unresolved', 'regressed'] as const)
    for (const release of [null, CURRENT - 1, CURRENT, CURRENT + 1])
      t.equal(lead({ state }, { on: 'event', release }), undefined)
})

t.test('resolved now: an event of that release or a later one is a regression', async (t) => {
  t.equal(lead(resolvedNow, { on: 'event', release: CURRENT }), 'regressed')
  t.equal(lead(resolvedNow, { on: 'event', release: CURRENT + 1 }), 'regressed')
  t.equal(lead(resolvedNow, { on: 'event', release: CURRENT - 1 }), 'old')
})

t.test('resolved in the next release: only an event of a later release is a regression', async (t) => {
  t.equal(lead(resolvedInNext, { on: 'event', release: CURRENT + 1 }), 'regressed')
  t.equal(lead(resolvedInNext, { on: 'event', release: CURRENT }), 'old')
  t.equal(lead(resolvedInNext, { on: 'event', release: CURRENT - 1 }), 'old')
})

t.test('resolved before a waiting event is stored: it is no regression, and not of an old release', async (t) => {
  for (const release of [CURRENT - 1, CURRENT, CURRENT + 1, null])
    t.equal(lead({ ...resolvedNow, changed: NOW + 1 }, { on: 'event', release, stored: NOW + 1 }), 'resolved')
  const fresh = { on: 'event', release: CURRENT, stored: NOW + 1 } as const
  t.equal(lead({ ...resolvedNow, changed: NOW }, fresh), 'regressed')
  t.equal(
    lead({ ...resolvedNow, changed: NOW + 2 }, fresh),
    'regressed',
    'the clock was ahead when the issue was resolved'
  )
})

t.test('an event without a release is a regression of "resolved now", not of "resolved in the next"', async (t) => {
  t.equal(lead(resolvedNow, { on: 'event', release: null }), 'regressed')
  t.equal(lead(resolvedInNext, { on: 'event', release: null }), 'old')
})

t.test('resolved before the first release: every release is a later one', async (t) => {
  const withoutRelease = { ...resolvedNow, resolved_release: null }
  t.equal(lead(withoutRelease, { on: 'event', release: 1 }), 'regressed')
  t.equal(lead(withoutRelease, { on: 'event', release: null }), 'regressed')
  t.equal(lead({ ...withoutRelease, resolved_in_next: 1 }, { on: 'event', release: 1 }), 'regressed')
  t.equal(lead({ ...withoutRelease, resolved_in_next: 1 }, { on: 'event', release: null }), 'old')
})

t.test('ignored until a number of events: the last of them reopens the issue, never as a regression', async (t) => {
  const ignored = issueOf({ state: 'ignored', ignored_until_events: 12 })
  t.equal(lead({ ...ignored, events: 11 }, { on: 'event', release: CURRENT + 1 }), undefined)
  t.equal(lead({ ...ignored, events: 12 }, { on: 'event', release: CURRENT + 1 }), 'unresolved')
  t.equal(lead({ ...ignored, events: 99 }, { on: 'event', release: null }), 'unresolved')
  t.equal(lead({ ...ignored, events: 99 }, { on: 'minute' }), undefined, 'only an event reopens it')
})

t.test('ignored until a date: an event or the timer reopens the issue, never as a regression', async (t) => {
  const until = (ignored_until: number) => issueOf({ state: 'ignored', ignored_until })
  for (const on of ['event', 'minute'] as const) {
    t.equal(lead(until(NOW + 1), { on, release: CURRENT + 1 }), undefined, on)
    t.equal(lead(until(NOW), { on, release: CURRENT + 1 }), 'unresolved', on)
  }
})

t.test('ignored forever: neither an event nor the timer reopens the issue', async (t) => {
  const ignored = issueOf({ state: 'ignored', events: 1e9 })
  t.equal(lead(ignored, { on: 'event', release: CURRENT + 1 }), undefined)
  t.equal(lead(ignored, { on: 'minute' }), undefined)
})

t.test('the timer changes only ignored issues', async (t) => {
  for (const state of ['unresolved', 'regressed', 'resolved'] as const)
    t.equal(lead({ state, ignored_until: 1 }, { on: 'minute' }), undefined, state)
})
