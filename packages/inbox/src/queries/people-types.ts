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

export interface InvitationRow {
  hash: string
  role: Role
  /** Existing person whom the invitation lets in again; undefined for a new person. */
  person?: string
  madeBy: string
  created: number
  expires: number
}
