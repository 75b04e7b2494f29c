import { INBOX_PATH } from '../addresses.ts'

export const SIGN_IN_PATH = '/inbox/sign-in'
export const INVITATION_PATH = '/inbox/invitation'

/** Pages whose query and form let whoever has them in. */
export const isSecretPath = (path: string): boolean => path === SIGN_IN_PATH || path === INVITATION_PATH

/** Whether a path is one of the inbox's. */
export const isInboxPath = (path: string): boolean => path === INBOX_PATH || path.startsWith(`${INBOX_PATH}/`)

/** The link that somebody is invited by. */
export const toInvitationUrl = (origin: string, token: string): string => `${origin}${INVITATION_PATH}?token=${token}`
