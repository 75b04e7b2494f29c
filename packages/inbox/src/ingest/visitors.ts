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

/** Records that a visitor encountered an issue. @returns whether for the first time */
export function recordIssueVisitor(store: Store, issue: number, visitor: string, at: number): boolean {
  const { changes } = store.run(
    'UPDATE issue_visitor SET last_seen = max(last_seen, ?) WHERE visitor = ? AND issue = ?',
    at,
    visitor,
    issue
  )
  if (changes > 0) return false
  store.run('INSERT INTO issue_visitor (visitor, issue, last_seen) VALUES (?, ?, ?)', visitor, issue, at)
  return true
}

/** Records that a visitor encountered an error. @returns the figures to increase: one per hour, and one per day */
export function recordErrorVisitor(store: Store, place: FigurePlace, visitor: string): FigureName[] {
  if (!recordVisitorHour(store, place, place.hour, visitor)) return []
  return isKnownToday(store, place, visitor) ? ['visitors'] : ['visitors', 'visitor_days']
}

/** Records the visitor's hour. @returns whether it is new */
const recordVisitorHour = (
  store: Store,
  { project, environment, release }: FigurePlace,
  hour: number,
  visitor: string
): boolean =>
  store.run(
    `INSERT INTO visitor_hour (hour, project, visitor, environment, release) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    hour,
    project,
    visitor,
    environment,
    release
  ).changes > 0

/** Whether the visitor was recorded in another hour of the same day. Each hour is a look-up by key. */
function isKnownToday(store: Store, { project, hour, environment, release }: FigurePlace, visitor: string): boolean {
  const first = hour - (hour % 24)
  for (let other = first; other < first + 24; other++) {
    if (other === hour) continue
    const found = store.get(
      'SELECT 1 FROM visitor_hour WHERE hour = ? AND project = ? AND visitor = ? AND environment = ? AND release = ?',
      other,
      project,
      visitor,
      environment,
      release
    )
    if (found) return true
  }
  return false
}
