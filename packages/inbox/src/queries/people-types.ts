import type { Role } from '../store/model.ts'

export interface PersonRow {
  id: number
  name: string
  role: Role
  created: number
  lastSeen?: number
  sessions: number
}

/** Who holds a session, and since when. */
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
  /** Who is let in again; undefined for somebody new. */
  person?: string
  madeBy: string
  created: number
  expires: number
}
