import type { DsnTarget } from '@hull/monitoring/envelope'
import { OWN_PROJECT } from './store/model.ts'

/** Path of the inbox's pages. */
export const INBOX_PATH = '/inbox'

/** A placeholder: `.invalid` never resolves (RFC 6761 §6.4), and nothing is sent there. */
const HOST = 'inbox.invalid'

/** DSN that identifies the inbox to the tunnel, as the single provider for all envelopes. */
export const INBOX_DSN = `https://inbox@${HOST}/0`

/** DSN of a project, which intake writes to the header of an accepted envelope. */
export const toProjectDsn = (key: string, project: number): string => `https://${key}@${HOST}/${project}`

/**
 * Target of the application's own SDKs, on the server and in its pages. Its key is public and belongs to no project.
 * Only the tunnel accepts it, so only pages of this site can use it.
 */
export const OWN_TARGET: DsnTarget = { dsn: toProjectDsn('hull', OWN_PROJECT), provider: INBOX_DSN }

export const SIGN_IN_PATH = '/inbox/sign-in'

/** The way to the provider of OpenID Connect, the way back, and the provider's own sign-out. */
export const OIDC_PATH = `${SIGN_IN_PATH}/provider`
export const OIDC_CALLBACK_PATH = `${OIDC_PATH}/callback`
export const OIDC_SIGN_OUT_PATH = `${OIDC_PATH}/sign-out`

export const SIGN_OUT_PATH = '/inbox/sign-out'

const INVITATION_PATH = '/inbox/invitation'

export const UNSUBSCRIBE_PATH = '/inbox/unsubscribe'

/** Pages whose query or form contains a secret, such as one that signs people in. */
export const isSecretPath = (path: string): boolean =>
  path === SIGN_IN_PATH || path === OIDC_CALLBACK_PATH || path === INVITATION_PATH || path === UNSUBSCRIBE_PATH

/** Whether a path belongs to the inbox. */
export const isInboxPath = (path: string): boolean => path === INBOX_PATH || path.startsWith(`${INBOX_PATH}/`)

/** URL of an invitation's link. @param base URL of this server, with its base path */
export const toInvitationUrl = (base: string, token: string): string => `${base}${INVITATION_PATH}?token=${token}`

/** URL that ends the mails of a channel. @param base URL of this server, with its base path */
export const toUnsubscribeUrl = (base: string, { id, secret }: { id: number; secret: string }): string =>
  `${base}${UNSUBSCRIBE_PATH}?${new URLSearchParams({ channel: String(id), token: secret })}`
