import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { forbidden, unauthorized, type Session } from '@hull/shell'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    signIns: SignIns
  }
}

declare module '@hull/shell' {
  interface SessionData {
    /** Token of the sign-in. The store has its hash. */
    signIn?: string
  }
}

/** The person who signs in. */
export interface Person {
  /** Id of the account, which never changes. */
  account: string
  /** Name to show. */
  name: string
  roles: readonly string[]
  /** ID token of the provider, to sign out there too. */
  idToken?: string
}

/** A sign-in: one browser of one person, from sign-in to sign-out. Times are milliseconds since the epoch. */
export interface SignIn extends Person {
  id: number
  /** Whether it outlives the browser. */
  remember: boolean
  /** Browser, from its `User-Agent`. */
  browser: string
  created: number
  lastSeen: number
  expires: number
}

export interface SignInOptions {
  /** Keeps the sign-in for 30 days, also when the browser is closed. @default false: 12 hours, until it is closed */
  remember?: boolean
  /** The request's `User-Agent`. */
  browser?: string | undefined
}

/** Seconds. Our choice; an application with more to protect takes less. */
const LIFETIME = 12 * 3600
const REMEMBERED_LIFETIME = 30 * 24 * 3600

/** Milliseconds between writes of `lastSeen`, so that not every request writes. */
const TOUCH_INTERVAL = 10 * 60_000

export interface SignIns extends ReturnType<typeof openSignIns> {
  /** Returns an address of a provider that ends its own session after a sign-out here. A provider's plugin sets it. */
  leave?: (signIn: SignIn, origin: string) => Promise<string | undefined>
}

export interface SignInsOptions {
  /** SQLite file, created if it does not exist; `:memory:` for tests. */
  file: string
}

/** Keeps the sign-ins in SQLite, so that each can be listed and ended. The visitor's session has only a token. */
export default fp<SignInsOptions>(
  async function signIns(app, { file }) {
    const store = openSignIns(file)
    app.decorate('signIns', store)
    app.addHook('onClose', async () => store.close())
  },
  { name: 'sign-ins', fastify: '5.x', dependencies: ['session'] }
)

/** @param now milliseconds since the epoch */
export function openSignIns(file: string, now: () => number = Date.now) {
  const db = openDatabase(
    file,
    `CREATE TABLE IF NOT EXISTS sign_in (
      id INTEGER PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      account TEXT NOT NULL,
      person TEXT NOT NULL,
      browser TEXT NOT NULL,
      created INTEGER NOT NULL,
      last_seen INTEGER NOT NULL,
      expires INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS sign_in_by_account ON sign_in (account);`
  )
  const select = db.prepare('SELECT * FROM sign_in WHERE hash = ? AND expires > ?')
  const selectAll = db.prepare(
    'SELECT * FROM sign_in WHERE account = ? AND expires > ? ORDER BY last_seen DESC, id DESC'
  )
  const insert = db.prepare(
    'INSERT INTO sign_in (hash, account, person, browser, created, last_seen, expires) VALUES (?, ?, ?, ?, ?, ?, ?)'
  )
  const touch = db.prepare('UPDATE sign_in SET last_seen = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM sign_in WHERE account = ? AND id = ?')
  const removeAll = db.prepare('DELETE FROM sign_in WHERE account = ? AND id != ?')
  const removeExpired = db.prepare('DELETE FROM sign_in WHERE expires <= ?')

  return { begin, find, require, requireRole, list, end, endAll, close: () => db.close() }

  /**
   * Signs a person in. The session gets a new token and loses all else, so nothing that was planted in the browser
   * before is used afterwards. The browser's earlier sign-in ends.
   */
  function begin(session: Session, person: Person, { remember = false, browser = '' }: SignInOptions = {}): void {
    const earlier = find(session)
    if (earlier) end(earlier)
    const at = now()
    removeExpired.run(at)
    const token = randomBytes(32).toString('base64url')
    const seconds = remember ? REMEMBERED_LIFETIME : LIFETIME
    const { account } = person
    insert.run(hashOf(token), account, JSON.stringify(person), browser.slice(0, 300), at, at, at + seconds * 1_000)
    session.clear()
    session.setLifetime({ seconds, untilClosed: !remember })
    session.set('signIn', token)
  }

  /** Returns the sign-in of a visitor; undefined if there is none, or if it expired or was ended. */
  function find(session: Session): SignIn | undefined {
    const token = session.get('signIn')
    if (token === undefined) return undefined
    const at = now()
    const row = select.get(hashOf(token), at) as Row | undefined
    if (row && at - row.last_seen >= TOUCH_INTERVAL) touch.run(at, row.id)
    return row && toSignIn(row)
  }

  /** Returns the sign-in of a visitor, in a guard or a route. @throws Outcome 401 if there is none */
  function require(session: Session): SignIn {
    return find(session) ?? unauthorized()
  }

  /** Like {@link require}. @throws Outcome 403 if the person does not have the role */
  function requireRole(session: Session, role: string): SignIn {
    const signIn = require(session)
    return signIn.roles.includes(role) ? signIn : forbidden()
  }

  /** Returns the sign-ins of an account, the last used first. */
  function list(account: string): SignIn[] {
    return (selectAll.all(account, now()) as unknown as Row[]).map(toSignIn)
  }

  /** Ends one sign-in of an account: its browser is signed out at its next request. */
  function end({ account, id }: Pick<SignIn, 'account' | 'id'>): void {
    remove.run(account, id)
  }

  /** Ends all sign-ins of an account. @param except id of the one to keep */
  function endAll(account: string, except = 0): void {
    removeAll.run(account, except)
  }
}

interface Row {
  id: number
  person: string
  browser: string
  created: number
  last_seen: number
  expires: number
}

const toSignIn = ({ id, person, browser, created, last_seen: lastSeen, expires }: Row): SignIn => ({
  ...(JSON.parse(person) as Person),
  id,
  remember: expires - created > LIFETIME * 1_000,
  browser,
  created,
  lastSeen,
  expires
})

/** The store has hashes only, so a copy of it signs nobody in. Needs no salt: 256 random bits cannot be guessed. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * Opens a SQLite file, which is created if it does not exist. Several processes may use it.
 * @throws Error that ends the start with its sentence alone, if the file cannot be opened
 */
export function openDatabase(file: string, schema: string): DatabaseSync {
  let db: DatabaseSync
  try {
    mkdirSync(dirname(file), { recursive: true })
    db = new DatabaseSync(file, { timeout: 5_000 })
  } catch (cause) {
    const sentence = `The sign-ins cannot be stored in ${file}: set DATA_DIR to a folder that can be written`
    throw Object.assign(new Error(sentence, { cause }), { code: 'APP_CONFIG_INVALID' })
  }
  db.exec(`PRAGMA journal_mode = WAL; ${schema}`)
  return db
}
