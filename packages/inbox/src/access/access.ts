import { toCookieName } from '@hull/common/http/cookie-name.ts'
import type { ActionCtx } from '@hull/shell/client'
import { InboxNameTaken, InboxTooManyTries } from '../errors.ts'
import { createSignInThrottle } from '@hull/common/http/sign-in-throttle.ts'
import type { Inbox } from '../store/inbox.ts'
import type { Role } from '../store/model.ts'
import type { InvitationRow, PersonSession } from '../queries/people-types.ts'
import { toClientName } from '../ingest/client.ts'
import { accountName } from './account-name.ts'
import { createFreshLinks } from './fresh-links.ts'
import { createPasswordCheck, fingerprintPassword } from './password.ts'
import { createSignInLink } from './sign-in-link.ts'
import { describeWait, INVITATION_LIFETIME, TOUCH_INTERVAL } from './times.ts'
import { createToken, hashToken, isToken } from './tokens.ts'

/**
 * Max-Age of the cookie in seconds. Longer than any unused session lives, so the store decides when a session expires.
 */
const COOKIE_AGE = 400 * 24 * 3600

/** The signed-in person. */
export interface Person extends PersonSession {
  /** Hash of the session's token. */
  hash: string
}

/** The parts of a page's `ctx` that access control reads and sets. */
export type Visit = Pick<ActionCtx, 'cookies' | 'headers' | 'address' | 'setCookie' | 'setHeader'>

type Cookies = Readonly<Record<string, string | undefined>>

export interface InboxAccess {
  /** False if nobody can sign in; the inbox's pages then answer 404. */
  readonly isOpen: boolean
  /** How people without an invitation sign in; undefined if they cannot. */
  readonly way: 'password' | 'link' | undefined
  /** Returns the token of the printed link the first time; undefined afterwards, or if there is no link. */
  takeLinkToken: () => string | undefined
  findPerson: (cookies: Cookies) => Promise<Person | undefined>
  /** Whether the printed link's token is valid. Does not use it up. */
  isLinkGood: (token: unknown) => boolean
  /** @returns false if the link is used or expired */
  signInByLink: (visit: Visit, token: unknown) => Promise<boolean>
  /**
   * @param name from {@link toPersonName}
   * @returns false for a wrong password
   * @throws InboxTooManyTries with Retry-After set
   * @throws InboxNameTaken if a viewer has this name
   */
  signInByPassword: (visit: Visit, given: { name: string; password: string }) => Promise<boolean>
  findInvitation: (token: unknown) => Promise<InvitationRow | undefined>
  /** @returns false if the invitation is no longer valid @throws InboxNameTaken */
  acceptInvitation: (visit: Visit, given: { token: unknown; name: string }) => Promise<boolean>
  /**
   * Creates an invitation. Its link is available for ten minutes.
   * @param person existing person to let in again; without it, the invitation is for a new person
   */
  invite: (by: Person, invitation: { role: Role; person?: number }) => Promise<void>
  /** Tokens of the person's recent invitations, by hash. */
  freshTokens: (by: Person) => ReadonlyMap<string, string>
  signOut: (visit: Visit) => Promise<void>
}

export interface InboxAccessOptions {
  inbox: Inbox
  /** Signs people in as admins. undefined disables this. */
  password: string | undefined
  /** Secret that signs the application's sessions; also the key of the password's fingerprint. */
  secret: string
  /** The application only serves this machine. Without a password, a sign-in link is then printed. */
  local: boolean
  /** Visitors use https. */
  https: boolean
  /** Path of the application, for the cookie; empty for the whole origin. */
  basePath: string
  /** Called with errors of background work. */
  onError: (error: unknown) => void
}

/** Decides who may see the inbox, and signs people in and out. @see docs/decisions/024-access-to-the-inbox.md */
export function createInboxAccess(options: InboxAccessOptions): InboxAccess {
  const { inbox, password, secret, local, https, basePath, onError } = options
  const cookie = toCookieName('inbox', { https, basePath })
  const isOpen = password !== undefined || local
  const isPassword = isOpen && password !== undefined ? createPasswordCheck(password) : undefined
  const passwordFingerprint = password === undefined ? undefined : fingerprintPassword(password, secret)
  const link = isOpen && password === undefined ? createSignInLink() : undefined
  const throttle = createSignInThrottle()
  const fresh = createFreshLinks()
  const touching = new Set<string>()

  return {
    isOpen,
    way: isPassword ? 'password' : link && 'link',
    takeLinkToken: () => link?.takeToken(),
    isLinkGood: (token) => link?.isGood(token) ?? false,
    freshTokens: ({ person }) => fresh.of(person),

    async findPerson(cookies) {
      const hash = hashOf(cookies)
      if (!isOpen || hash === undefined) return undefined
      const found = await inbox.queries.findPersonSession({ hash, passwordFingerprint })
      if (found === undefined) return undefined
      touch(hash, found)
      return { ...found, hash }
    },

    async signInByLink(visit, token) {
      if (!link?.spend(token)) return false
      try {
        const name = accountName()
        await open(visit, (session) => signInAs(name, session))
        return true
      } catch (error) {
        link.restore()
        throw error
      }
    },

    async signInByPassword(visit, { name, password: given }) {
      const attempt = { address: visit.address, name }
      const wait = throttle.take(attempt)
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1_000)
        visit.setHeader('retry-after', String(seconds))
        throw new InboxTooManyTries(describeWait(seconds))
      }
      if (!isPassword?.(given)) return false
      throttle.clear(attempt)
      await open(visit, (session) => inbox.changes.signInAdmin({ name, session: { ...session, passwordFingerprint } }))
      return true
    },

    async findInvitation(token) {
      return isOpen && isToken(token) ? inbox.queries.findInvitation({ hash: hashToken(token) }) : undefined
    },

    async acceptInvitation(visit, { token, name }) {
      if (!isOpen || !isToken(token)) return false
      const hash = hashToken(token)
      const accepted = await open(visit, (session) => inbox.changes.acceptInvitation({ hash, name, session }))
      return accepted !== undefined
    },

    async invite(by, { role, person }) {
      const token = createToken()
      const hash = hashToken(token)
      const expires = Date.now() + INVITATION_LIFETIME
      await inbox.changes.createInvitation({ hash, role, person, madeBy: by.person, expires })
      fresh.add(by.person, { hash, token })
    },

    async signOut(visit) {
      const hash = hashOf(visit.cookies)
      visit.setCookie(cookie, '', { ...attributes(), maxAge: 0 })
      if (isOpen && hash !== undefined) await inbox.changes.closePersonSession({ hash })
    }
  }

  /** Always creates a new session, so that nobody can use a session id planted before the sign-in. */
  async function open<T>(visit: Visit, change: (session: NewSession) => Promise<T>): Promise<T> {
    const token = createToken()
    const client = toClientName(visit.headers['user-agent'] as string | undefined)
    const session = { hash: hashToken(token), at: Date.now(), client, replaces: hashOf(visit.cookies) }
    const result = await change(session)
    if (result !== undefined) visit.setCookie(cookie, token, attributes())
    return result
  }

  async function signInAs(name: string, session: NewSession): Promise<number> {
    try {
      return await inbox.changes.signInAdmin({ name, session })
    } catch (error) {
      if (!(error instanceof InboxNameTaken)) throw error
      return inbox.changes.signInAdmin({ name: `${name} (at the terminal)`, session })
    }
  }

  function touch(hash: string, { lastSeen }: PersonSession): void {
    const at = Date.now()
    if (at - lastSeen < TOUCH_INTERVAL || touching.has(hash)) return
    touching.add(hash)
    inbox.changes
      .touchPersonSession({ hash, at })
      .catch(onError)
      .finally(() => touching.delete(hash))
  }

  function hashOf(cookies: Cookies): string | undefined {
    const token = cookies[cookie]
    return isToken(token) ? hashToken(token) : undefined
  }

  function attributes() {
    return { path: basePath || '/', httpOnly: true, sameSite: 'lax', secure: https, maxAge: COOKIE_AGE } as const
  }
}

type NewSession = Parameters<Inbox['changes']['signInAdmin']>[0]['session']
