import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { FigureName, FigurePlace } from '../store/rollups.ts'
import { readSetting, writeSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'

/** Maximum cached hashes of visitors. A guess: an hour's visitors of a busy site. */
const MAX_VISITORS = 5_000

/** An item's data about its visitor. */
export interface VisitorHint {
  id?: string
  /** Name of the user; used if there is no id. */
  name?: string
  /** Address that the client sent; never stored. */
  address?: string
}

/** Assigns ids to visitors. Addresses and users' names are only stored as keyed hashes, whose key is secret. */
export class Visitors {
  readonly #key: KeyObject
  /** Hashes of the last visitors, in memory only. */
  readonly #known = new LRUCache<string, string>({ max: MAX_VISITORS })

  /** Call it inside a transaction. */
  constructor(store: Store) {
    this.#key = openVisitorKey(store)
  }

  /** Returns the user's id, else a keyed hash of the name, or of the address and user agent. */
  idOf(user: VisitorHint | undefined, address: string | undefined, userAgent: string | undefined) {
    if (user?.id !== undefined) return user.id
    const from = user?.address ?? address
    const known = user?.name !== undefined ? `name ${user.name}` : from && `address ${from} ${userAgent ?? ''}`
    return known && this.#hashOf(known)
  }

  /** Returns the hash of a name. Cached, because a visitor with an error often has several in a row. */
  #hashOf(name: string): string {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const hash = createHmac('sha256', this.#key).update(name).digest('hex').slice(0, 32)
    this.#known.set(name, hash)
    return hash
  }
}

function openVisitorKey(store: Store): KeyObject {
  const known = readSetting(store, 'visitor_key')
  if (known !== undefined) return createSecretKey(known, 'hex')
  const key = randomBytes(32)
  writeSetting(store, 'visitor_key', key.toString('hex'))
  return createSecretKey(key)
}

/** A visitor who encountered an issue. */
export interface IssueVisitor {
  issue: number
  visitor: string
  /** Milliseconds since the epoch. */
  at: number
}

/** Records the visitors who encountered issues. @returns those who did for the first time, once each */
export function recordIssueVisitors(store: Store, seen: readonly IssueVisitor[]): { issue: number; visitor: string }[] {
  const newest = new Map<string, IssueVisitor>()
  for (const one of seen) {
    const key = `${one.issue} ${one.visitor}`
    const known = newest.get(key)
    if (known === undefined || known.at < one.at) newest.set(key, one)
  }
  const toRow = ({ issue, visitor, at }: IssueVisitor) => [visitor, issue, at]
  const into = 'INSERT INTO issue_visitor (visitor, issue, last_seen)'
  const added = store.insertRowsReturning<{ issue: number; visitor: string }>(
    into,
    [...newest.values()].map(toRow),
    'ON CONFLICT (visitor, issue) DO NOTHING RETURNING visitor, issue'
  )
  for (const { issue, visitor } of added) newest.delete(`${issue} ${visitor}`)
  store.insertRows(
    into,
    [...newest.values()].map(toRow),
    `ON CONFLICT (visitor, issue) DO UPDATE SET last_seen = excluded.last_seen
     WHERE issue_visitor.last_seen < excluded.last_seen`
  )
  return added
}

/** A visitor who encountered an error. */
export interface ErrorVisitor {
  place: FigurePlace
  visitor: string
}

interface VisitorHour {
  hour: number
  project: number
  visitor: string
  environment: string
  release: number
}

/** Records the visitors who encountered errors. @returns the figures to increase: one per hour, and one per day */
export function recordErrorVisitors(
  store: Store,
  seen: readonly ErrorVisitor[]
): { place: FigurePlace; name: FigureName }[] {
  const rows = seen.map(({ place: { hour, project, environment, release }, visitor }) => [
    hour,
    project,
    visitor,
    environment,
    release
  ])
  const added = store.insertRowsReturning<VisitorHour>(
    'INSERT INTO visitor_hour (hour, project, visitor, environment, release)',
    [...new Map(rows.map((row) => [row.join('\0'), row])).values()],
    `ON CONFLICT (hour, project, visitor, environment, release) DO NOTHING
     RETURNING hour, project, visitor, environment, release`
  )
  const days = Map.groupBy(added, ({ hour, project, environment, release }) =>
    [Math.floor(hour / 24), project, release, environment].join(' ')
  )
  return [...days.values()].flatMap((hours) => countVisitors(store, hours))
}

/** @param added new hours of visitors, of the same day, project, environment and release */
function countVisitors(store: Store, added: readonly VisitorHour[]): { place: FigurePlace; name: FigureName }[] {
  const { hour, project, environment, release } = added[0]!
  const day = Array.from({ length: 24 }, (_, index) => hour - (hour % 24) + index)
  const stored = store.allIn<{ hour: number; visitor: string }>(
    `SELECT hour, visitor FROM visitor_hour WHERE project = ? AND environment = ? AND release = ?
       AND hour IN (${day.map(() => '?').join(', ')}) AND visitor IN (:keys)`,
    added.map(({ visitor }) => visitor),
    project,
    environment,
    release,
    ...day
  )
  const isAdded = new Set(added.map(({ hour, visitor }) => `${hour} ${visitor}`))
  const today = new Set(stored.filter((one) => !isAdded.has(`${one.hour} ${one.visitor}`)).map((one) => one.visitor))
  return added.flatMap(({ hour, visitor }) => {
    const place: FigurePlace = { project, hour, environment, release }
    const isFirst = !today.has(visitor)
    today.add(visitor)
    const names: FigureName[] = isFirst ? ['visitors', 'visitor_days'] : ['visitors']
    return names.map((name) => ({ place, name }))
  })
}
