import type { AuditKind } from '../queries/people-types.ts'
import type { Store } from '../store/store.ts'
import type { Who } from './types.ts'

export interface AuditEntry {
  /** The person who did it. @default nobody who is signed in */
  who?: Who | undefined
  /** The person whom it is about. */
  person?: number | undefined
  /** Further facts, such as the name of a token. */
  detail?: string
}

/** Adds an entry to the audit log, in the transaction of the change itself. */
export function recordAudit(store: Store, kind: AuditKind, { who, person, detail }: AuditEntry): void {
  store.run(
    'INSERT INTO audit (at, who, kind, person, detail) VALUES (?, ?, ?, ?, ?)',
    Date.now(),
    who ?? null,
    kind,
    person ?? null,
    detail ?? null
  )
}
