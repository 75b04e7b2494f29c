import type { EventDetail } from '../store/model.ts'
import { MAX_RELEASES } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

/** Maximum values of a tag, and maximum tags of an issue. Further values count as ''. Guesses: a page shows ten. */
const MAX_VALUES = 100
const MAX_NAMES = 60

/** Of releases, all that a project can have: an issue of many deploys must be found by the newest one. */
const maxValuesOf = (name: string): number => (name === 'release' ? MAX_RELEASES : MAX_VALUES)

/** Maximum characters of an address as a tag: an index of PostgreSQL takes 2,704 bytes for issue, name and value. */
const MAX_URL_TAG = 800

/** Tags with a different value for each event, which are not worth counting. */
const UNIQUE = new Set(['digest', 'request_id', 'replayId', 'requestId'])

/** The fields of an event that are counted as tags, and its time. */
export type Tagged = Pick<EventDetail, 'at' | 'release' | 'environment' | 'url' | 'browser' | 'os' | 'route' | 'tags'>

/** Number of events of an issue with a value of a tag. */
export interface TagCount {
  issue: number
  name: string
  value: string
  events: number
  /** Milliseconds since the epoch of the newest event. */
  last: number
}

/** Counts the tags of events for their issue. */
export function countTags(store: Store, issue: number, details: readonly Tagged[]): void {
  addTags(store, sumTags(issue, details).values())
}

function sumTags(issue: number, details: readonly Tagged[]): Map<string, TagCount> {
  const counts = new Map<string, TagCount>()
  for (const detail of details)
    for (const [name, value] of tagsOf(detail)) addTag(counts, { issue, name, value, events: 1, last: detail.at })
  return counts
}

/** Adds to the count of a tag's value. */
export function addTag(counts: Map<string, TagCount>, tag: TagCount): void {
  const key = keyOf(tag)
  const known = counts.get(key)
  if (known === undefined) counts.set(key, { ...tag })
  else {
    known.events += tag.events
    known.last = Math.max(known.last, tag.last)
  }
}

const keyOf = ({ issue, name, value }: Pick<TagCount, 'issue' | 'name' | 'value'>): string =>
  `${issue}\0${name}\0${value}`

/** Adds inserted counts to those in the store. */
const ADDED = `ON CONFLICT (issue, name, value) DO UPDATE SET events = issue_tag.events + excluded.events,
  last_seen = max(issue_tag.last_seen, excluded.last_seen)`

/** Adds counts of tags' values to those in the store. Each value occurs once. @returns the values that are new */
export function addTags(store: Store, tags: Iterable<TagCount>): TagCount[] {
  const all = [...tags]
  const stored = store.allInRows<TagCount>(
    'SELECT issue, name, value FROM issue_tag WHERE (issue, name, value) IN (:keys)',
    all.map(({ issue, name, value }) => [issue, name, value])
  )
  const known = new Set(stored.map(keyOf))
  const counts = new Map<string, TagCount>()
  for (const tag of all) if (known.has(keyOf(tag))) addTag(counts, tag)
  const added = [
    ...withinMaximums(
      store,
      all.filter((tag) => !known.has(keyOf(tag)))
    )
  ]
  for (const tag of added) addTag(counts, tag)
  store.insertRows(
    'INSERT INTO issue_tag (issue, name, value, events, last_seen)',
    [...counts.values()].map(({ issue, name, value, events, last }) => [issue, name, value, events, last]),
    ADDED
  )
  return added.filter(({ value }) => value !== '')
}

/** Characters of an issue's addresses in the search index, after which no further address is added. A guess. */
const MAX_ADDRESSES = 4_000

/**
 * Adds new addresses to the search index, which has that of an issue's first event.
 * @param isNew whether the issue is from this batch
 */
export function indexAddresses(store: Store, added: readonly TagCount[], isNew: (issue: number) => boolean): void {
  const begun = new Set<number>()
  for (const { issue, name, value } of added) {
    if (name !== 'url') continue
    const isFirst = isNew(issue) && !begun.has(issue)
    begun.add(issue)
    if (isFirst) continue
    store.write(
      `UPDATE issue_search SET url = coalesce(url, '') || ' ' || ? WHERE rowid = ?
         AND instr(coalesce(url, '') || ' ', ? || ' ') = 0 AND length(coalesce(url, '')) < ${MAX_ADDRESSES}`,
      value,
      issue,
      value
    )
  }
}

/**
 * Yields new values of tags. '' collects the values above the maximum. A tag above the maximum of tags is not counted.
 */
function* withinMaximums(store: Store, tags: readonly TagCount[]): Generator<TagCount> {
  if (tags.length === 0) return
  const valuesOf = new Map<string, number>()
  for (const { issue, name, count } of store.allInRows<{ issue: number; name: string; count: number }>(
    'SELECT issue, name, count(*) AS count FROM issue_tag WHERE (issue, name) IN (:keys) GROUP BY issue, name',
    tags.map(({ issue, name }) => [issue, name])
  ))
    valuesOf.set(`${issue}\0${name}`, count)
  const namesOf = countNames(
    store,
    tags.filter(({ issue, name }) => !valuesOf.has(`${issue}\0${name}`))
  )
  for (const tag of tags) {
    const { issue, name } = tag
    const values = valuesOf.get(`${issue}\0${name}`) ?? 0
    if (values >= maxValuesOf(name)) yield { ...tag, value: '' }
    else {
      if (values === 0) {
        const names = namesOf.get(issue) ?? 0
        namesOf.set(issue, Math.min(names + 1, MAX_NAMES))
        if (names >= MAX_NAMES) continue
      }
      valuesOf.set(`${issue}\0${name}`, values + 1)
      yield tag
    }
  }
}

/** Number of tags, by issue. */
function countNames(store: Store, tags: readonly TagCount[]): Map<number, number> {
  const rows = store.allIn<{ issue: number; names: number }>(
    'SELECT issue, count(DISTINCT name) AS names FROM issue_tag WHERE issue IN (:keys) GROUP BY issue',
    tags.map(({ issue }) => issue)
  )
  return new Map(rows.map(({ issue, names }) => [issue, names]))
}

/** Subtracts the tags of events that were moved to another issue. Values above the maximum were counted as ''. */
export function uncountTags(store: Store, issue: number, details: readonly Tagged[]): void {
  const counts = sumTags(issue, details)
  const names = new Set([...counts.values()].map(({ name }) => name))
  const others = [...names].map((name) => ({ issue, name, value: '' }))
  const stored = store.allInRows<TagCount>(
    'SELECT issue, name, value, events, last_seen AS last FROM issue_tag WHERE (issue, name, value) IN (:keys)',
    [...counts.values(), ...others].map(({ name, value }) => [issue, name, value])
  )
  const left = new Map(stored.map((row) => [keyOf(row), { ...row }]))
  for (const count of counts.values()) {
    let { events } = count
    for (const value of [count.value, '']) {
      const row = left.get(keyOf({ ...count, value }))
      const taken = Math.min(events, row?.events ?? 0)
      if (row) row.events -= taken
      events -= taken
    }
  }
  store.insertRows(
    'INSERT INTO issue_tag (issue, name, value, events, last_seen)',
    [...left.values()].map(({ name, value, events, last }) => [issue, name, value, events, last]),
    'ON CONFLICT (issue, name, value) DO UPDATE SET events = excluded.events'
  )
  store.write('DELETE FROM issue_tag WHERE issue = ? AND events <= 0', issue)
}

/** Moves the counts of an issue's tags to another issue. {@link boundTags} then enforces the maximums. */
export function mergeTags(store: Store, issue: number, into: number): void {
  store.write(
    `INSERT INTO issue_tag (issue, name, value, events, last_seen)
     SELECT ?, name, value, events, last_seen FROM issue_tag WHERE issue = ?
     ${ADDED}`,
    into,
    issue
  )
  store.write('DELETE FROM issue_tag WHERE issue = ?', issue)
}

/** Enforces the maximums: counts the rarest values as '' and deletes the rarest tags. */
export function boundTags(store: Store, issue: number): void {
  store.write(
    `DELETE FROM issue_tag WHERE issue = ?1 AND name IN (
       SELECT name FROM issue_tag WHERE issue = ?1 GROUP BY name ORDER BY sum(events) DESC, name LIMIT -1 OFFSET ?2)`,
    issue,
    MAX_NAMES
  )
  const names = store.all<{ name: string; count: number }>(
    `SELECT name, count(*) AS count FROM issue_tag WHERE issue = ? AND value <> '' GROUP BY name`,
    issue
  )
  for (const { name, count } of names) {
    const most = maxValuesOf(name)
    if (count <= most) continue
    store.write(
      `INSERT INTO issue_tag (issue, name, value, events, last_seen)
       SELECT ?1, ?2, '', sum(events), max(last_seen) FROM (
         SELECT events, last_seen FROM issue_tag WHERE issue = ?1 AND name = ?2 AND value <> ''
         ORDER BY events DESC, value LIMIT -1 OFFSET ?3) AS rare WHERE true
       ${ADDED}`,
      issue,
      name,
      most
    )
    store.write(
      `DELETE FROM issue_tag WHERE issue = ?1 AND name = ?2 AND value IN (
         SELECT value FROM issue_tag WHERE issue = ?1 AND name = ?2 AND value <> ''
         ORDER BY events DESC, value LIMIT -1 OFFSET ?3)`,
      issue,
      name,
      most
    )
  }
}

/** Yields the tags of an event. */
export function* tagsOf({ release, environment, url, browser, os, route, tags }: Tagged): Generator<[string, string]> {
  if (release !== undefined) yield ['release', release]
  if (environment !== '') yield ['environment', environment]
  if (url !== undefined) yield ['url', url.length > MAX_URL_TAG ? url.slice(0, MAX_URL_TAG).toWellFormed() : url]
  if (browser !== undefined) yield ['browser', browser]
  if (os !== undefined) yield ['os', os]
  if (route !== undefined) yield ['transaction', route]
  for (const [name, value] of tags) if (!OWN.has(name) && !UNIQUE.has(name)) yield [name, value]
}

/** Tags that are fields of the event itself. */
const OWN = new Set(['release', 'environment', 'url', 'browser', 'os', 'transaction'])
