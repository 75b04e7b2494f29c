import type { Broadcast } from '@hull/common/broadcast.ts'
import { toCookieName } from '@hull/common/http/cookie-name.ts'
import { hashPassword } from '@hull/common/http/password-hash.ts'
import { trustedLatest } from '@hull/common/trusted-clock.ts'
import type { ActionCtx } from '@hull/shell/client'
import { InboxNameTaken, InboxTooManyTries } from '../errors.ts'
import { createSignInThrottle, type SignInAttempt } from '@hull/common/http/sign-in-throttle.ts'
import type { Inbox } from '../store/inbox.ts'
import type { Grants } from './roles.ts'
import type { Role } from '../store/model.ts'
import type { InvitationRow, PersonRow, PersonSession, PersonSessionRow } from '../queries/people-types.ts'
import { toClientName } from '../ingest/user-agent.ts'
import { accountName } from './account-name.ts'
import { createFreshTokens } from './fresh-tokens.ts'
import { createPasswordCheck, fingerprintPassword } from './password.ts'
import { createSignInLink } from './sign-in-link.ts'
import { createPersonPasswords } from './person-passwords.ts'
import { describeWait, EXTERNAL_SESSION, INVITATION_LIFETIME, isTouchDue, LINK_SHOWN } from './times.ts'
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
  /** How the first admin signs in: INBOX_PASSWORD, the printed link, or else the provider; undefined if nobody can. */
  readonly way: 'password' | 'link' | 'provider' | undefined
  /** Host name of the provider at which people can sign in; undefined without one. */
  readonly provider: string | undefined
  /** Whether anybody can sign in with a name and a password. */
  hasPasswords: () => Promise<boolean>
  /** Returns the token of the printed link the first time; undefined afterwards, or if there is no link. */
  takeLinkToken: () => string | undefined
  findPerson: (cookies: Cookies) => Promise<Person | undefined>
  /** Everybody who was not removed, with the number of sessions that are valid. */
  listPeople: () => Promise<PersonRow[]>
  /** The sessions of a person that are valid, last used first. */
  listSessions: (person: number) => Promise<PersonSessionRow[]>
  /** Whether the printed link's token is valid. Does not use it up. */
  isLinkGood: (token: unknown) => boolean
  /** @returns false if the link is used or expired */
  signInByLink: (visit: Visit, token: unknown) => Promise<boolean>
  /**
   * @param name from {@link toPersonName}
   * @returns false for a wrong password
   * @throws InboxTooManyTries with Retry-After set
   * @throws InboxNameTaken if a person who is no admin, or who signs in at the provider, has this name
   */
  signInByPassword: (visit: Visit, given: { name: string; password: string }) => Promise<boolean>
  /**
   * Signs in a person whom the provider has identified.
   * @param identity `subject` is the issuer and the subject; `name` from {@link toPersonName}
   * @throws InboxPersonRemoved
   */
  signInExternally: (visit: Visit, identity: { subject: string; name: string } & Grants) => Promise<void>
  /**
   * Sets the person's own password and ends all their other sessions.
   * @returns false if `current` is not the present password, or the session has ended
   * @throws InboxTooManyTries with Retry-After set
   */
  changePassword: (visit: Visit, by: Person, given: { current: string; next: string }) => Promise<boolean>
  findInvitation: (token: unknown) => Promise<InvitationRow | undefined>
  /** @param password new password of the person @returns false if the invitation is no longer valid @throws InboxNameTaken */
  acceptInvitation: (
    visit: Visit,
    given: { token: unknown; name: string; password?: string | undefined }
  ) => Promise<boolean>
  /**
   * Creates an invitation. Its link is available for ten minutes.
   * @param project the role is for this project only @default all
   * @param person existing person to let in again; without it, the invitation is for a new person
   */
  invite: (visit: Visit, by: Person, invitation: { role: Role; project?: number; person?: number }) => Promise<void>
  /** Makes a new token available to its creator for ten minutes. */
  showToken: (visit: Visit, by: Person, token: string) => void
  /** The person's new tokens, of invitations and of programs, by hash. */
  freshTokens: (visit: Pick<Visit, 'cookies'>, by: Person) => ReadonlyMap<string, string>
  signOut: (visit: Visit) => Promise<void>
}

export interface InboxAccessOptions {
  inbox: Inbox
  /** Signs people in as admins. undefined disables this. */
  password: string | undefined
  /** Host name of the provider at which people can sign in. */
  provider: string | undefined
  /** Secret that signs the application's sessions; also the key of the password's fingerprint. */
  secret: string
  /** Secrets with which other replicas still sign, or already sign, while the secret is changed. */
  otherSecrets: readonly string[]
  /** The application only serves this machine. Without a password, a sign-in link is then printed. */
  local: boolean
  /** Visitors use https. */
  https: boolean
  /** Path of the application, for the cookie; empty for the whole origin. */
  basePath: string
  /** Counts failed sign-ins at all replicas together. @default one replica */
  broadcast?: Broadcast
  /** Called with errors of background work. */
  onError: (error: unknown) => void
}

/** Decides who may see the inbox, and signs people in and out. @see docs/decisions/024-access-to-the-inbox.md */
export function createInboxAccess(options: InboxAccessOptions): InboxAccess {
  const { inbox, password, provider, secret, otherSecrets, local, https, basePath, broadcast, onError } = options
  const cookie = toCookieName('inbox', { https, basePath })
  const isOpen = password !== undefined || provider !== undefined || local
  const checkPassword = password === undefined ? undefined : createPasswordCheck(password)
  const passwordFingerprints =
    password === undefined ? [] : [secret, ...otherSecrets].map((key) => fingerprintPassword(password, key))
  const link = local && password === undefined ? createSignInLink() : undefined
  const throttle = createSignInThrottle({ replicas: broadcast && { broadcast, name: 'inbox-sign-in' } })
  const passwords = createPersonPasswords()
  const fresh = createFreshTokens(secret)
  const freshCookie = toCookieName('inbox-fresh', { https, basePath })
  const touching = new Set<string>()

  return {
    isOpen,
    way: checkPassword ? 'password' : link ? 'link' : provider === undefined ? undefined : 'provider',
    provider,
    hasPasswords: async () => checkPassword !== undefined || (isOpen && (await inbox.queries.hasPasswords())),
    takeLinkToken: () => link?.takeToken(),
    isLinkGood: (token) => link?.isGood(token) ?? false,
    showToken,
    freshTokens: ({ cookies }, { person }) => fresh.of(person, cookies[freshCookie]),

    async findPerson(cookies) {
      const hash = hashOf(cookies)
      if (!isOpen || hash === undefined) return undefined
      const found = await inbox.queries.findPersonSession({ hash, passwordFingerprints })
      if (found === undefined) return undefined
      touch(hash, found)
      return { ...found, hash }
    },

    listPeople: () => inbox.queries.listPeople({ passwordFingerprints }),

    listSessions: (person) => inbox.queries.listPersonSessions({ person, passwordFingerprints }),

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
      if (!isOpen) return false
      const attempt = takeAttempt(visit, name)
      const known = await inbox.queries.findPassword({ name })
      if (!known && checkPassword?.(given)) {
        throttle.clear(attempt)
        await open(visit, (session) =>
          inbox.changes.signInAdmin({ name, session: { ...session, passwordFingerprints } })
        )
        return true
      }
      if (!(await passwords.verify(given, known?.hash, visit.address)) || !known) return false
      throttle.succeed(attempt)
      const { person, hash } = known
      const opened = await open(visit, (session) => inbox.changes.signInPerson({ person, password: hash, session }))
      return opened !== undefined
    },

    async signInExternally(visit, identity) {
      await open(visit, (session) => {
        const expires = session.at + EXTERNAL_SESSION
        return inbox.changes.signInExternal({ ...identity, session: { ...session, expires } })
      })
    },

    async changePassword(visit, { person, name, hash: keep, hasPassword }, { current, next }) {
      let replaces: string | null = null
      if (hasPassword) {
        const attempt = takeAttempt(visit, name)
        const known = await inbox.queries.findPassword({ name })
        if (!known || !(await passwords.verify(current, known.hash, visit.address))) return false
        throttle.succeed(attempt)
        replaces = known.hash
      }
      return inbox.changes.setPassword({ id: person, password: await hashPassword(next), keep, replaces })
    },

    async findInvitation(token) {
      return isOpen && isToken(token) ? inbox.queries.findInvitation({ hash: hashToken(token) }) : undefined
    },

    async acceptInvitation(visit, { token, name, password: next }) {
      if (!isOpen || !isToken(token)) return false
      const hash = hashToken(token)
      // Only for a valid invitation: anybody could request hashes otherwise.
      const found = next === undefined ? undefined : await inbox.queries.findInvitation({ hash })
      const password = next === undefined || !found ? undefined : await hashPassword(next)
      const accepted = await open(visit, (session) => inbox.changes.acceptInvitation({ hash, name, password, session }))
      return accepted !== undefined
    },

    async invite(visit, by, { role, project, person }) {
      const token = createToken()
      const hash = hashToken(token)
      const expires = trustedLatest() + INVITATION_LIFETIME
      await inbox.changes.createInvitation({ hash, role, project, person, madeBy: by.person, expires })
      showToken(visit, by, token)
    },

    async signOut(visit) {
      const hash = hashOf(visit.cookies)
      visit.setCookie(cookie, '', { ...attributes(), maxAge: 0 })
      if (isOpen && hash !== undefined) await inbox.changes.closePersonSession({ hash })
    }
  }

  /**
   * Always creates a new session, so that nobody can use a session id planted before the sign-in. A wall clock that is
   * behind for a while must not make it expire when the clock is right again.
   */
  async function open<T>(visit: Visit, change: (session: NewSession) => Promise<T>): Promise<T> {
    const token = createToken()
    const client = toClientName(visit.headers['user-agent'] as string | undefined)
    const session = { hash: hashToken(token), at: trustedLatest(), client, replaces: hashOf(visit.cookies) }
    const result = await change(session)
    if (result !== undefined) visit.setCookie(cookie, token, attributes())
    return result
  }

  /** Counts an attempt with a password. @throws InboxTooManyTries with Retry-After set */
  function takeAttempt(visit: Visit, name: string): SignInAttempt {
    const attempt = { address: visit.address, name }
    const wait = passwords.isBusy(visit.address) ? 1_000 : throttle.take(attempt)
    if (wait === 0) return attempt
    const seconds = Math.ceil(wait / 1_000)
    visit.setHeader('retry-after', String(seconds))
    throw new InboxTooManyTries(describeWait(seconds))
  }

  async function signInAs(name: string, session: NewSession): Promise<number> {
    try {
      return await inbox.changes.signInAdmin({ name, session })
    } catch (error) {
      if (!(error instanceof InboxNameTaken)) throw error
      return inbox.changes.signInAdmin({ name: `${name} (at the terminal)`, session })
    }
  }

  function showToken({ cookies, setCookie }: Visit, { person }: Person, token: string): void {
    setCookie(freshCookie, fresh.add(person, token, cookies[freshCookie]), {
      ...attributes(),
      maxAge: LINK_SHOWN / 1_000
    })
  }

  function touch(hash: string, { lastSeen }: PersonSession): void {
    const at = trustedLatest()
    if (!isTouchDue(lastSeen, at) || touching.has(hash)) return
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
