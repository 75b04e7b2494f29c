import type { SQLInputValue } from 'node:sqlite'
import { DAY, HOUR } from '@hull/common/time.ts'
import { bumpRollupCacheVersion } from '../rollups.ts'
import { pruneMaps } from '../../symbolication/prune.ts'
import type { Store } from '../store.ts'
import { removeExpiredIssues } from './issues.ts'

/** A table without an index by time. It is swept by its key, a few rows at a time. */
interface Swept {
  table: string
  key: readonly string[]
  /** SQL for the time of a row, in the unit below. */
  age: string
  unit: number
  /** Readers cache its rows of past hours, so a deletion invalidates their caches. */
  isCached?: true
}

/** Keys per step. A guess: these rows are small, so that as many take the time of a chunk of events. */
const CHUNK = 200

/** Milliseconds for which a monitor waits for a check-in, at most. A client may announce one in a thousand years. */
const MAX_WAIT = 400 * DAY

/** A job may run less often than data is kept: its monitor stays until it has missed a check-in, and as long after. */
const LAST_OF_MONITOR = `max(
  max(last_received, coalesce((SELECT max(received) FROM check_in WHERE monitor_id = monitor.id), 0)),
  CASE WHEN due IS NULL OR status = 'missed' THEN 0 ELSE min(due, last_received + ${MAX_WAIT}) END)`

const SWEPT: readonly Swept[] = [
  { table: 'issue_hour', key: ['issue', 'hour'], age: 'hour', unit: HOUR },
  { table: 'issue_tag', key: ['issue', 'name', 'value'], age: 'last_seen', unit: 1 },
  { table: 'issue_visitor', key: ['visitor', 'issue'], age: 'last_seen', unit: 1 },
  {
    table: 'figure_hour',
    key: ['project', 'name', 'hour', 'environment', 'release'],
    age: 'hour',
    unit: HOUR,
    isCached: true
  },
  {
    table: 'latency_hour',
    key: ['project', 'hour', 'side', 'route', 'environment', 'release', 'bucket'],
    age: 'hour',
    unit: HOUR,
    isCached: true
  },
  {
    table: 'vital_hour',
    key: ['project', 'hour', 'vital', 'page', 'environment', 'release', 'bucket'],
    age: 'hour',
    unit: HOUR,
    isCached: true
  },
  { table: 'visitor_hour', key: ['hour', 'project', 'visitor', 'environment', 'release'], age: 'hour', unit: HOUR },
  { table: 'drop_hour', key: ['hour', 'project', 'origin', 'reason', 'category'], age: 'hour', unit: HOUR },
  { table: 'monitor', key: ['id'], age: LAST_OF_MONITOR, unit: 1 },
  { table: 'known_name', key: ['project', 'kind', 'name'], age: 'last_day', unit: DAY }
]

/**
 * Deletes old rows from all tables without an index by time: rollups, tags, visitors, issues, maps. Run each step in
 * its own transaction.
 * @param before milliseconds since the epoch
 * @returns number of rows deleted by each step
 */
export function* sweep(store: Store, before: number): Generator<number, void> {
  for (const swept of SWEPT) yield* sweepTable(store, swept, Math.floor(before / swept.unit))
  yield* removeExpiredIssues(store, before)
  for (let maps = CHUNK; maps > 0;) yield (maps = pruneMaps(store, before))
}

function* sweepTable(store: Store, { table, key, age, isCached }: Swept, before: number): Generator<number, void> {
  const columns = key.join(', ')
  const marks = key.map(() => '?').join(', ')
  let from: SQLInputValue[] = []
  for (;;) {
    const after = from.length > 0 ? `WHERE (${columns}) > (${marks})` : ''
    const last = store.get<Record<string, SQLInputValue>>(
      `SELECT ${columns} FROM ${table} ${after} ORDER BY ${columns} LIMIT 1 OFFSET ${CHUNK - 1}`,
      ...from
    )
    const upTo = last && key.map((column) => last[column]!)
    const range = [after.replace('WHERE', 'AND'), upTo ? `AND (${columns}) <= (${marks})` : ''].join(' ')
    const sql = `DELETE FROM ${table} WHERE ${age} < ? ${range}`
    const { changes } = store.run(sql, before, ...from, ...(upTo ?? []))
    if (changes > 0 && isCached) bumpRollupCacheVersion(store)
    yield changes
    if (upTo === undefined) return
    from = upTo
  }
}
