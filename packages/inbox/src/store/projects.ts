import { randomBytes } from 'node:crypto'
import type { Project } from './model.ts'
import type { Store } from './store.ts'

/** The application's own. */
export const OWN_PROJECT = 1

/** The public part of a DSN: 32 hex digits, as those of Sentry have. */
export const createKey = (): string => randomBytes(16).toString('hex')

/** Makes the application's own project where there is none. */
export function ensureOwnProject(store: Store, now: number): void {
  store.run(
    "INSERT OR IGNORE INTO project (id, name, key, created) VALUES (?, 'This application', ?, ?)",
    OWN_PROJECT,
    createKey(),
    now
  )
}

/** Those that take something. */
export const readProjects = (store: Store): Project[] =>
  store
    .all<Project>('SELECT id, name, key, created FROM project WHERE removed IS NULL ORDER BY id')
    .map((row) => ({ ...row }))
