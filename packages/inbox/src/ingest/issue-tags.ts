import type { EventDetail } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/** Maximum values of a tag, and maximum tags of an issue. Further values count as ''. Guesses: a page shows ten. */
const MAX_VALUES = 100
const MAX_NAMES = 60

/** Tags with a different value for each event, which are not worth counting. */
const UNIQUE = new Set(['digest', 'request_id', 'replayId', 'requestId'])

/** The fields of an event that are counted as tags, and its time. */
export type Tagged = Pick<EventDetail, 'at' | 'release' | 'environment' | 'url' | 'browser' | 'os' | 'route' | 'tags'>

/** Number of events with a value of a tag. */
export interface TagCount {
  name: string
  value: string
  events: number
  /** Milliseconds since the epoch of the newest event. */
  last: number
}

/** Counts the tags of an event for its issue. */
export function countTags(store: Store, issue: number, detail: Tagged): void {
  for (const [name, value] of tagsOf(detail)) addTag(store, issue, { name, value, events: 1, last: detail.at })
}

/** Adds to the count of a tag's value for an issue. */
export function addTag(store: Store, issue: number, tag: TagCount): void {
  if (count(store, issue, tag)) return
  if (hasRoom(store, issue, tag.name)) return add(store, issue, tag)
  // '' collects the values above the maximum. A tag above the maximum of tags is not counted.
  const rest = { ...tag, value: '' }
  if (!count(store, issue, rest) && isKnown(store, issue, tag.name)) add(store, issue, rest)
}

/** Subtracts the tags of an event that was moved to another issue. */
export function uncountTags(store: Store, issue: number, detail: Tagged): void {
  for (const [name, value] of tagsOf(detail)) {
    if (!countDown(store, issue, name, value)) countDown(store, issue, name, '')
  }
}

/** Moves the counts of an issue's tags to another issue. {@link boundTags} then enforces the maximums. */
export function mergeTags(store: Store, issue: number, into: number): void {
  store.run(
    `INSERT INTO issue_tag (issue, name, value, events, last_seen)
     SELECT ?, name, value, events, last_seen FROM issue_tag WHERE issue = ?
     ON CONFLICT (issue, name, value)
     DO UPDATE SET events = issue_tag.events + excluded.events,
       last_seen = max(issue_tag.last_seen, excluded.last_seen)`,
    into,
    issue
  )
  store.run('DELETE FROM issue_tag WHERE issue = ?', issue)
}

/** Enforces the maximums: counts the rarest values as '' and deletes the rarest tags. */
export function boundTags(store: Store, issue: number): void {
  store.run(
    `DELETE FROM issue_tag WHERE issue = ?1 AND name IN (
       SELECT name FROM issue_tag WHERE issue = ?1 GROUP BY name ORDER BY sum(events) DESC, name LIMIT -1 OFFSET ?2)`,
    issue,
    MAX_NAMES
  )
  const names = store.all<{ name: string }>(
    `SELECT name FROM issue_tag WHERE issue = ? AND value <> '' GROUP BY name HAVING count(*) > ?`,
    issue,
    MAX_VALUES
  )
  for (const { name } of names) {
    store.run(
      `INSERT INTO issue_tag (issue, name, value, events, last_seen)
       SELECT ?1, ?2, '', sum(events), max(last_seen) FROM (
         SELECT events, last_seen FROM issue_tag WHERE issue = ?1 AND name = ?2 AND value <> ''
         ORDER BY events DESC, value LIMIT -1 OFFSET ?3) WHERE true
       ON CONFLICT (issue, name, value)
       DO UPDATE SET events = issue_tag.events + excluded.events,
       last_seen = max(issue_tag.last_seen, excluded.last_seen)`,
      issue,
      name,
      MAX_VALUES
    )
    store.run(
      `DELETE FROM issue_tag WHERE issue = ?1 AND name = ?2 AND value IN (
         SELECT value FROM issue_tag WHERE issue = ?1 AND name = ?2 AND value <> ''
         ORDER BY events DESC, value LIMIT -1 OFFSET ?3)`,
      issue,
      name,
      MAX_VALUES
    )
  }
}

function countDown(store: Store, issue: number, name: string, value: string): boolean {
  const row = store.get<{ events: number }>(
    'UPDATE issue_tag SET events = events - 1 WHERE issue = ? AND name = ? AND value = ? RETURNING events',
    issue,
    name,
    value
  )
  if (row !== undefined && row.events <= 0)
    store.run('DELETE FROM issue_tag WHERE issue = ? AND name = ? AND value = ?', issue, name, value)
  return row !== undefined
}

/** Yields the tags of an event. */
export function* tagsOf({ release, environment, url, browser, os, route, tags }: Tagged): Generator<[string, string]> {
  if (release !== undefined) yield ['release', release]
  if (environment !== '') yield ['environment', environment]
  if (url !== undefined) yield ['url', url]
  if (browser !== undefined) yield ['browser', browser]
  if (os !== undefined) yield ['os', os]
  if (route !== undefined) yield ['transaction', route]
  for (const [name, value] of tags) if (!OWN.has(name) && !UNIQUE.has(name)) yield [name, value]
}

/** Tags that are fields of the event itself. */
const OWN = new Set(['release', 'environment', 'url', 'browser', 'os', 'transaction'])

const count = (store: Store, issue: number, { name, value, events, last }: TagCount): boolean =>
  store.run(
    `UPDATE issue_tag SET events = events + ?, last_seen = max(last_seen, ?) WHERE issue = ? AND name = ? AND value = ?`,
    events,
    last,
    issue,
    name,
    value
  ).changes > 0

function add(store: Store, issue: number, { name, value, events, last }: TagCount): void {
  store.run(
    'INSERT INTO issue_tag (issue, name, value, events, last_seen) VALUES (?, ?, ?, ?, ?)',
    issue,
    name,
    value,
    events,
    last
  )
}

const isKnown = (store: Store, issue: number, name: string): boolean =>
  store.get('SELECT 1 FROM issue_tag WHERE issue = ? AND name = ? LIMIT 1', issue, name) !== undefined

function hasRoom(store: Store, issue: number, name: string): boolean {
  const { values } = store.get<{ values: number }>(
    'SELECT count(*) AS "values" FROM issue_tag WHERE issue = ? AND name = ?',
    issue,
    name
  )!
  if (values > 0) return values < MAX_VALUES
  const { names } = store.get<{ names: number }>(
    'SELECT count(DISTINCT name) AS names FROM issue_tag WHERE issue = ?',
    issue
  )!
  return names < MAX_NAMES
}
