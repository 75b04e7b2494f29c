import type { DsnTarget } from '@hull/monitoring/envelope'
import { OWN_PROJECT } from './store/model.ts'

/** Below this are the inbox's pages. */
export const INBOX_PATH = '/inbox'

/** Nobody's: `.invalid` names no host (RFC 6761 §6.4), and nothing is ever sent there. */
const HOST = 'inbox.invalid'

/** As whom the tunnel knows the inbox: one provider, whoever an envelope is from. */
export const INBOX_DSN = `https://inbox@${HOST}/0`

/** What an envelope for a project names, once it was let in. */
export const toProjectDsn = (key: string, project: number): string => `https://${key}@${HOST}/${project}`

/**
 * The application's own SDKs, on the server and in its pages. A key that no project has and everybody may know: it lets
 * in through the tunnel alone, and so only what pages of this site send.
 */
export const OWN_TARGET: DsnTarget = { dsn: toProjectDsn('hull', OWN_PROJECT), provider: INBOX_DSN }

export const SIGN_IN_PATH = '/inbox/sign-in'
export const INVITATION_PATH = '/inbox/invitation'

/** Pages whose query or form contains a secret that signs people in. */
export const isSecretPath = (path: string): boolean => path === SIGN_IN_PATH || path === INVITATION_PATH

/** Whether a path belongs to the inbox. */
export const isInboxPath = (path: string): boolean => path === INBOX_PATH || path.startsWith(`${INBOX_PATH}/`)

/** Path of an invitation's link. */
export const toInvitationUrl = (origin: string, token: string): string => `${origin}${INVITATION_PATH}?token=${token}`
