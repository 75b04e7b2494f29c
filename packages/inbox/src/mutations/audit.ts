import { clip } from '@hull/common/visible-text.ts'
import type { AuditKind } from '../web/audit-words.ts'
import type { Store } from '../store/store.ts'
import type { Who } from './author.ts'
import { writeRow } from '../store/rows.ts'

export interface AuditEntry {
  /** The person who did it. @default nobody who is signed in */
  who?: Who | undefined
  /** The person whom it is about. */
  person?: number | undefined
  /** Further facts, such as the name of a token. */
  detail?: string
}

/** Maximum characters of a detail. A guess: more than any form allows. */
const MAX_DETAIL = 1_000

/** Projects that an entry names; of more, it has the number. */
const MAX_NAMED = 3

/** `1.4.2 · Shop, Jobs · token CI`. @param token its name @default by no token */
export function describeUpload(store: Store, subject: string, projects: readonly number[], token?: string): string {
  const named = projects.slice(0, MAX_NAMED).map((id) => store.get<Named>('SELECT name FROM project WHERE id = ?', id))
  const where = projects.length > MAX_NAMED ? `${projects.length} projects` : named.map((row) => row?.name).join(', ')
  return [subject, where, ...(token === undefined ? [] : [`token ${token}`])].join(' · ')
}

interface Named {
  name: string
}

/** Adds an entry to the audit log, in the transaction of the change itself. */
export function recordAudit(store: Store, kind: AuditKind, { who, person, detail }: AuditEntry): void {
  writeRow(store, 'audit', { at: Date.now(), who, kind, person, detail: detail && clip(detail, MAX_DETAIL) })
}
