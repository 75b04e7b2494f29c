import { INBOX_PATH } from '../addresses.ts'

export const SIGN_IN_PATH = '/inbox/sign-in'
export const INVITATION_PATH = '/inbox/invitation'

/** Pages whose query or form contains a secret that signs people in. */
export const isSecretPath = (path: string): boolean => path === SIGN_IN_PATH || path === INVITATION_PATH

/** Whether a path belongs to the inbox. */
export const isInboxPath = (path: string): boolean => path === INBOX_PATH || path.startsWith(`${INBOX_PATH}/`)

/** Path of an invitation's link. */
export const toInvitationUrl = (origin: string, token: string): string => `${origin}${INVITATION_PATH}?token=${token}`
