import type { Store } from './store.ts'

/** Opens the store for writing, and knows when it must be opened again. */
export interface StoreKeeper {
  /** Where the store is, for the log. */
  readonly place: object
  /** @throws Error if the store cannot be opened now */
  open: () => Store
  /** Checks the open store, at intervals. @returns whether it must be closed and opened again */
  check: () => boolean
  /** Does the same after an error. Damage is remembered until the store is opened, which then replaces the file. */
  checkError: (error: unknown) => boolean
  /** Called after each change by a person, to copy what must survive damage. */
  keepCopy: () => void
}

/** Reports to the main thread, for the log. */
export type Report = (level: 'info' | 'warn' | 'error', details: object, message: string) => void
