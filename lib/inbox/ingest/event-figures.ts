import type { Level } from '../model.ts'
import type { Store } from '../store.ts'

/** Where a figure counts. */
export interface FigurePlace {
  project: number
  /** Since the epoch. */
  hour: number
  environment: string
  /** 0 for none. */
  release: number
}

/** What counts as an error; the others are messages. */
const ERRORS = new Set<Level>(['fatal', 'error'])

/** Counts an event for the whole project: errors, and the visitors that met one, once an hour and once a day. */
export function countFigures(store: Store, place: FigurePlace, level: Level, visitor: string | undefined): void {
  if (!ERRORS.has(level)) return
  count(store, place, 'errors')
  if (visitor === undefined || !meet(store, place, place.hour, visitor)) return
  count(store, place, 'visitors')
  if (!wasToday(store, place, visitor)) count(store, place, 'visitor_days')
}

function count(store: Store, { project, hour, environment, release }: FigurePlace, name: string): void {
  store.run(
    `INSERT INTO figure_hour (project, hour, name, environment, release, quantity) VALUES (?, ?, ?, ?, ?, 1)
     ON CONFLICT (project, name, hour, environment, release) DO UPDATE SET quantity = quantity + 1`,
    project,
    hour,
    name,
    environment,
    release
  )
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
