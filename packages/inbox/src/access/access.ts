import type { ActionCtx } from '@hull/shell/client'
import { InboxNameTaken, InboxTooManyTries } from '@hull/common/errors.ts'
import { networkOf } from '@hull/common/http/network.ts'
import type { Inbox } from '../store/inbox.ts'
import type { Role } from '../store/model.ts'
import type { InvitationRow, PersonSession } from '../queries/people-types.ts'
import { toClientName } from '../ingest/normalise/user-agent.ts'
import { accountName } from './account-name.ts'
import { createFreshLinks } from './fresh-links.ts'
import { createPasswordCheck, fingerprintPassword } from './password.ts'
import { createSignInLink } from './sign-in-link.ts'
import { createSignInThrottle } from './sign-in-throttle.ts'
import { describeWait, INVITATION_LIFETIME, TOUCH_INTERVAL } from './times.ts'
import { createToken, hashToken, isToken } from './tokens.ts'

/** Seconds the cookie is kept. Longer than any session that is not used: the store decides. */
const COOKIE_AGE = 400 * 24 * 3600

/** Who is signed in. */
export interface Person extends PersonSession {
  /** Of the session's token. */
  hash: string
}

/** Of a page's `ctx`: what tells who comes, and lets them in. */
export type Visit = Pick<ActionCtx, 'cookies' | 'headers' | 'address' | 'setCookie' | 'setHeader'>

type Cookies = Readonly<Record<string, string | undefined>>

export interface InboxAccess {
  /** Whether anybody can get in; where not, the inbox's pages are 404. */
  readonly isOpen: boolean
  /** How those get in who were not invited; undefined: nobody does. */
  readonly way: 'password' | 'link' | undefined
  /** Token of the printed link, once; undefined where there is none. */
  takeLinkToken: () => string | undefined
  findPerson: (cookies: Cookies) => Promise<Person | undefined>
  /** Whether the token of the printed link would be taken. Spends nothing. */
  isLinkGood: (token: unknown) => boolean
  /** @returns false where the link is no longer good */
  signInByLink: (visit: Visit, token: unknown) => Promise<boolean>
  /**
   * @param name as {@link toPersonName} made it
   * @returns false for a wrong password
   * @throws InboxTooManyTries with Retry-After set, InboxNameTaken where a viewer has the name
   */
  signInByPassword: (visit: Visit, given: { name: string; password: string }) => Promise<boolean>
  findInvitation: (token: unknown) => Promise<InvitationRow | undefined>
  /** @returns false where it is no longer good @throws InboxNameTaken */
  acceptInvitation: (visit: Visit, given: { token: unknown; name: string }) => Promise<boolean>
  /** Its link can be asked for ten minutes. @param person who is let in again; without it somebody new */
  invite: (by: Person, invitation: { role: Role; person?: number }) => Promise<void>
  /** Tokens of invitations that somebody made a moment ago, by hash. */
  freshTokens: (by: Person) => ReadonlyMap<string, string>
  signOut: (visit: Visit) => Promise<void>
}

export interface InboxAccessOptions {
  inbox: Inbox
  /** Lets whoever has it in, as an admin. */
  password: string | undefined
  /** Signs the application's sessions; the fingerprint of the password is keyed with it. */
  secret: string
  /** The application is for this machine alone: without a password a link is printed. */
  local: boolean
  /** Visitors come by https. */
  https: boolean
  /** Told of what failed without anybody waiting for it. */
  onError: (error: unknown) => void
}

/** Who may see the inbox, and how they get in. @see docs/decisions/024-access-to-the-inbox.md */
export function createInboxAccess(options: InboxAccessOptions): InboxAccess {
  const { inbox, password, secret, local, https, onError } = options
  const cookie = https ? '__Host-inbox' : 'inbox'
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
      const attempt = { network: networkOf(visit.address), name }
      const wait = throttle.waitFor(attempt)
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1_000)
        visit.setHeader('retry-after', String(seconds))
        throw new InboxTooManyTries(describeWait(seconds))
      }
      if (!isPassword?.(given)) {
        throttle.fail(attempt)
        return false
      }
      throttle.succeed(attempt)
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

  /** A new session for whoever comes: never one that was there before, which somebody else may know. */
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
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: https, maxAge: COOKIE_AGE } as const
  }
}

type NewSession = Parameters<Inbox['changes']['signInAdmin']>[0]['session']
