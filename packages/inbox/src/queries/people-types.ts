import type { Grants } from '../access/roles.ts'
import type { Role } from '../store/model.ts'
import type { AuditKind } from '../web/audit-words.ts'

export interface PersonRow extends Grants {
  id: number
  name: string
  created: number
  lastSeen?: number
  sessions: number
  /** The person signs in at the sign-in service, which sets the role. */
  isExternal: boolean
  hasPassword: boolean
}

/** Maximum entries of the audit log in one answer. */
export const MAX_AUDIT_ENTRIES = 100

export interface AuditRow {
  id: number
  at: number
  kind: AuditKind
  /** Name of the person who did it; undefined if it was nobody who is signed in. */
  who?: string
  /** Name of the person whom it is about. */
  person?: string
  detail?: string
}

/** Person who holds a session, with its times. */
export interface PersonSession extends Grants {
  person: number
  name: string
  /** The person signs in at the sign-in service. */
  isExternal: boolean
  hasPassword: boolean
  created: number
  lastSeen: number
}

export interface PersonSessionRow {
  hash: string
  created: number
  lastSeen: number
  client?: string
}

/** A token with `read` can only read. One with `write` can also change issues. */
export type TokenScope = 'read' | 'write'

export interface TokenRow {
  id: number
  hash: string
  name: string
  scope: TokenScope
  /** Name of the person who created it. */
  person: string
  personId: number
  created: number
  lastUsed?: number
}

/** A valid token, and the present grants of the person in whose name it acts. */
export interface FoundToken extends Grants {
  id: number
  name: string
  scope: TokenScope
  person: number
  lastUsed?: number
}

export interface InvitationRow {
  hash: string
  role: Role
  /** The role is for this project only. */
  project?: number
  /** Existing person whom the invitation lets in again; undefined for a new person. */
  person?: string
  madeBy: string
  created: number
  expires: number
}
