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
    const known = user?.name !== undefined ? ofName(user.name) : from && `address ${from} ${userAgent ?? ''}`
    return known && this.#hashOf(known)
  }

  /** Returns the hash of a name. Cached, because a visitor with an error often has several in a row. */
  #hashOf(name: string): string {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const hash = toHash(this.#key, name)
    this.#known.set(name, hash)
    return hash
  }
}

const ofName = (name: string): string => `name ${name}`

const toHash = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex').slice(0, 32)

/** Returns the ids of the visitors that a search means: the user with this id, and the one without an id of this name. */
export function toVisitorIds(store: Store, user: string): string[] {
  const key = readSetting(store, 'visitor_key')
  return key === undefined ? [user] : [user, toHash(createSecretKey(key, 'hex'), ofName(user))]
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

/** An hour in which a visitor encountered errors of a release. */
export interface VisitorHour {
  /** Hours since the epoch. */
  hour: number
  project: number
  visitor: string
  environment: string
  release: number
}

/**
 * Figures that count a visitor: per hour and per day, in a release of an environment, in a release, in an environment,
 * and in a project.
 * @param counted keys of the figures that have counted visitors; those of this one are added
 * @returns the figures that have not counted this visitor yet
 */
export function countVisitor(
  { hour, project, visitor, environment, release }: VisitorHour,
  counted: Set<string>
): FigureName[] {
  const day = `day ${Math.floor(hour / 24)}`
  const ofProject = `${project}\0${visitor}`
  const ofEnvironment = `${ofProject}\0${environment}`
  const ofRelease = `${ofProject}\0${release}`
  const ofBoth = `${ofEnvironment}\0${release}`
  const figures: [FigureName, key: string][] = [
    ['visitors', `${hour}\0${ofBoth}`],
    ['visitor_days', `${day}\0${ofBoth}`],
    ['visitors_of_release', `${hour}\0${ofRelease}`],
    ['visitor_days_of_release', `${day}\0${ofRelease}`],
    ['visitors_of_environment', `${hour}\0${ofEnvironment}`],
    ['visitor_days_of_environment', `${day}\0${ofEnvironment}`],
    ['visitors_of_project', `${hour}\0${ofProject}`],
    ['visitor_days_of_project', `${day}\0${ofProject}`]
  ]
  return figures.flatMap(([name, key]) => {
    const figure = `${name} ${key}`
    if (counted.has(figure)) return []
    counted.add(figure)
    return [name]
  })
}

/** Records the visitors who encountered errors. @returns the figures to increase */
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
  const days = Map.groupBy(added, ({ hour, project }) => `${project} ${Math.floor(hour / 24)}`)
  return [...days.values()].flatMap((hours) => countVisitors(store, hours))
}

/** @param added new hours of visitors, of the same day and project */
function countVisitors(store: Store, added: readonly VisitorHour[]): { place: FigurePlace; name: FigureName }[] {
  const { hour, project } = added[0]!
  const day = Array.from({ length: 24 }, (_, index) => hour - (hour % 24) + index)
  const stored = store.allIn<VisitorHour>(
    `SELECT hour, project, visitor, environment, release FROM visitor_hour
     WHERE project = ? AND hour IN (${day.map(() => '?').join(', ')}) AND visitor IN (:keys)`,
    [...new Set(added.map(({ visitor }) => visitor))],
    project,
    ...day
  )
  const toKey = (row: VisitorHour) => [row.hour, row.visitor, row.environment, row.release].join('\0')
  const isAdded = new Set(added.map(toKey))
  const counted = new Set<string>()
  for (const row of stored) if (!isAdded.has(toKey(row))) countVisitor(row, counted)
  return added.flatMap((row) => {
    const { hour, environment, release } = row
    return countVisitor(row, counted).map((name) => ({ place: { project, hour, environment, release }, name }))
  })
}
