import type { SQLInputValue } from 'node:sqlite'
import { DAY, HOUR } from '@hull/common/time.ts'
import { bumpRollupCacheVersion } from '../rollups.ts'
import { pruneMaps } from '../../symbolication/prune.ts'
import type { Store } from '../store.ts'
import { CHUNK } from './chunk.ts'
import { removeForgotten } from './issues.ts'

/** A table without an index by time: gone through by its key, some rows at a time. */
interface Swept {
  table: string
  key: readonly string[]
  /** The column that tells its age, and in which unit. */
  age: string
  unit: number
  /** Readers keep what it says of times that are over. */
  isKept?: true
}

const SWEPT: readonly Swept[] = [
  { table: 'issue_hour', key: ['issue', 'hour'], age: 'hour', unit: HOUR },
  { table: 'issue_tag', key: ['issue', 'name', 'value'], age: 'last_seen', unit: 1 },
  { table: 'issue_visitor', key: ['visitor', 'issue'], age: 'last_seen', unit: 1 },
  {
    table: 'figure_hour',
    key: ['project', 'name', 'hour', 'environment', 'release'],
    age: 'hour',
    unit: HOUR,
    isKept: true
  },
  {
    table: 'latency_hour',
    key: ['project', 'hour', 'side', 'route', 'environment', 'release', 'bucket'],
    age: 'hour',
    unit: HOUR,
    isKept: true
  },
  {
    table: 'vital_hour',
    key: ['project', 'hour', 'vital', 'page', 'environment', 'release', 'bucket'],
    age: 'hour',
    unit: HOUR,
    isKept: true
  },
  { table: 'visitor_hour', key: ['hour', 'project', 'visitor', 'environment', 'release'], age: 'hour', unit: HOUR },
  { table: 'drop_hour', key: ['hour', 'project', 'origin', 'reason', 'category'], age: 'hour', unit: HOUR },
  { table: 'known_name', key: ['project', 'kind', 'name'], age: 'last_day', unit: DAY }
]

/**
 * Goes once through everything that has no index by time: rollups, tags, visitors, issues, maps. Each step is a chunk,
 * to be done in a transaction of its own.
 * @param before milliseconds since the epoch
 * @returns rows removed by each step
 */
export function* sweep(store: Store, before: number): Generator<number, void> {
  for (const swept of SWEPT) yield* sweepTable(store, swept, Math.floor(before / swept.unit))
  yield* removeForgotten(store, before)
  for (let maps = CHUNK; maps > 0;) yield (maps = pruneMaps(store, { before }))
}

function* sweepTable(store: Store, { table, key, age, isKept }: Swept, before: number): Generator<number, void> {
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
    if (changes > 0 && isKept) bumpRollupCacheVersion(store)
    yield changes
    if (upTo === undefined) return
    from = upTo
  }
}
