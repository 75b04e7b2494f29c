import type { FigurePlace } from '../store/rollups.ts'
import type { Level } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/** What counts as an error; the others are messages. */
const ERRORS = new Set<Level>(['fatal', 'error'])

/** Figures that events count in. */
export type EventFigure = 'errors' | 'visitors' | 'visitor_days'

export const isError = (level: Level): boolean => ERRORS.has(level)

/** Notes that a visitor met an error. @returns the figures that count it: once an hour, and once a day */
export function meetError(store: Store, place: FigurePlace, visitor: string): EventFigure[] {
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
