import type { Store } from './store.ts'

/** Opens the store for writing, and knows when it must be opened again. */
export interface StoreKeeper {
  /** Where the store is, for the log. */
  readonly place: object
  /** @throws Error if the store cannot be opened now */
  open: () => Store
  /** Whether an error means that the open store must be closed and opened again. It remembers damage until then. */
  isLost: (error: unknown) => boolean
  /** Checks the open store, at intervals. @returns whether it must be closed and opened again */
  check: () => boolean
  /** Called after each change by a person, to copy what must survive damage. */
  keepCopy: () => void
}

/** Reports to the main thread, for the log. */
export type Report = (level: 'info' | 'warn' | 'error', details: object, message: string) => void
