import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { FigureName, FigurePlace } from '../store/rollups.ts'
import { readSetting, writeSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'

/** Visitors whose hashes are kept. A guess: an hour's of a busy site. */
const MAX_VISITORS = 5_000

/** What an item says of the visitor it is about. */
export interface VisitorHint {
  id?: string
  /** What the user is called, where there is no id. */
  name?: string
  /** As the client told it; not kept. */
  address?: string
}

/** Tells visitors apart. An address and a user's name only ever go into a hash that nobody else can make. */
export class Visitors {
  readonly #key: KeyObject
  /** Hashes of the last visitors; in memory alone. */
  readonly #known = new LRUCache<string, string>({ max: MAX_VISITORS })

  /** Inside a transaction. */
  constructor(store: Store) {
    this.#key = openVisitorKey(store)
  }

  /** The user's id, else a keyed hash of the name, or of the address and user agent. */
  idOf(user: VisitorHint | undefined, address: string | undefined, userAgent: string | undefined) {
    if (user?.id !== undefined) return user.id
    const from = user?.address ?? address
    const known = user?.name !== undefined ? `name ${user.name}` : from && `address ${from} ${userAgent ?? ''}`
    return known && this.#hashOf(known)
  }

  /** Those who have errors have several, one after the other. */
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

/** Notes that a visitor met an issue. @returns whether for the first time */
export function meetIssue(store: Store, issue: number, visitor: string, at: number): boolean {
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

/** Notes that a visitor met an error. @returns the figures that count it: once an hour, and once a day */
export function meetError(store: Store, place: FigurePlace, visitor: string): FigureName[] {
  if (!meet(store, place, place.hour, visitor)) return []
  return wasToday(store, place, visitor) ? ['visitors'] : ['visitors', 'visitor_days']
}

/** Whether the visitor is new in this hour. */
const meet = (store: Store, { project, environment, release }: FigurePlace, hour: number, visitor: string): boolean =>
  store.run(
    'INSERT OR IGNORE INTO visitor_hour (hour, project, visitor, environment, release) VALUES (?, ?, ?, ?, ?)',
    hour,
    project,
    visitor,
    environment,
    release
  ).changes > 0

/** In another hour of the same day: each is looked up by its key. */
function wasToday(store: Store, { project, hour, environment, release }: FigurePlace, visitor: string): boolean {
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
