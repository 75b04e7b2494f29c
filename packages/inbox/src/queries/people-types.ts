import type { Role } from '../store/model.ts'

export interface PersonRow {
  id: number
  name: string
  role: Role
  created: number
  lastSeen?: number
  sessions: number
}

/** Person who holds a session, with its times. */
export interface PersonSession {
  person: number
  name: string
  role: Role
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
  created: number
  lastUsed?: number
}

/** A valid token, and the person in whose name it acts. */
export interface FoundToken {
  id: number
  name: string
  scope: TokenScope
  person: number
  role: Role
  lastUsed?: number
}

export interface InvitationRow {
  hash: string
  role: Role
  /** Existing person whom the invitation lets in again; undefined for a new person. */
  person?: string
  madeBy: string
  created: number
  expires: number
}
