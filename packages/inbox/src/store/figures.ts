import { noteChange } from '../queries/rollup-cache-version.ts'
import type { Store } from './store.ts'

/** Where a figure counts. */
export interface FigurePlace {
  project: number
  /** Since the epoch. */
  hour: number
  environment: string
  /** 0 for none. */
  release: number
}

/** Adds to a figure by the hour. */
export function addFigure(store: Store, place: FigurePlace, name: string, quantity: number): void {
  const { project, hour, environment, release } = place
  store.run(
    `INSERT INTO figure_hour (project, hour, name, environment, release, quantity) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (project, name, hour, environment, release) DO UPDATE SET quantity = quantity + excluded.quantity`,
    project,
    hour,
    name,
    environment,
    release,
    quantity
  )
  noteChange(store, hour)
}
