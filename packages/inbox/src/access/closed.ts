import type { InboxAccess } from './access.ts'

/** Access without an inbox: nobody can sign in. */
export const CLOSED: InboxAccess = {
  isOpen: false,
  way: undefined,
  provider: undefined,
  hasPasswords: async () => false,
  takeLinkToken: () => undefined,
  findPerson: async () => undefined,
  listPeople: async () => [],
  listSessions: async () => [],
  isLinkGood: () => false,
  signInByLink: async () => false,
  signInByPassword: async () => false,
  signInExternally: async () => {},
  changePassword: async () => false,
  findInvitation: async () => undefined,
  acceptInvitation: async () => false,
  invite: async () => {},
  showToken: () => {},
  freshTokens: () => new Map(),
  signOut: async () => {}
}
