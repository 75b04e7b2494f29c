import { randomBytes } from 'node:crypto'
import { createSignInThrottle, hashPassword, verifyPassword, type Broadcast } from '@hull/shell'
import fp from 'fastify-plugin'
import { openDatabase } from './sign-ins.ts'

declare module 'fastify' {
  interface FastifyInstance {
    passwords: Passwords
  }
}

export interface Account {
  /** Id, which never changes. */
  id: string
  /** Name to show, as it was given. */
  name: string
  /** Password's hash, with its parameters and salt. */
  hash: string
}

/** Storage of the accounts. Implement it on the application's own table of users to replace {@link openAccounts}. */
export interface AccountStore {
  /** @param key from {@link toKey} */
  find: (key: string) => Account | undefined | Promise<Account | undefined>
  findById: (id: string) => Account | undefined | Promise<Account | undefined>
  /** Adds an account, or replaces the hash of the one with this key. */
  save: (key: string, account: Account) => unknown
  setHash: (id: string, hash: string) => unknown
  close: () => unknown
}

export interface PasswordAttempt {
  name: string
  password: string
  /** The visitor's IP address. */
  address: string
}

/** Either the account, or none; `wait` is the number of seconds until the next attempt is accepted. */
export interface PasswordResult {
  account?: Account
  wait?: number
}

/** Minimum characters of a new password: NIST SP 800-63B-4 asks for 15 where there is no second factor. */
export const MIN_PASSWORD_LENGTH = 15

/** Hashes at a time: each holds 19 MiB and one of Node's four threads for files and names. A guess. */
const MAX_HASHES = 16

export type Passwords = ReturnType<typeof createPasswords>

export interface PasswordsOptions {
  /** Where the accounts are. */
  accounts: AccountStore
}

/** Checks passwords. */
export default fp<PasswordsOptions>(
  async function passwords(app, { accounts }) {
    app.decorate('passwords', createPasswords(accounts, app.broadcast))
    app.addHook('onClose', async () => accounts.close())
  },
  { name: 'passwords', fastify: '5.x', dependencies: ['broadcast'] }
)

/** @param broadcast counts failures at all replicas together */
export function createPasswords(accounts: AccountStore, broadcast?: Broadcast) {
  const throttle = createSignInThrottle({ replicas: broadcast && { broadcast, name: 'sign-in' } })
  /** Compared with where a name is unknown, so that the answer takes as long as for a wrong password. */
  let decoy: Promise<string> | undefined
  let hashes = 0

  return { check, change, set }

  /** Checks a name and a password. Unknown names and wrong passwords have the same result, in about the same time. */
  async function check({ name, password, address }: PasswordAttempt): Promise<PasswordResult> {
    return tryOnce({ name: toKey(name), address }, password, await accounts.find(toKey(name)))
  }

  /** Replaces a password by a new one. End the other sign-ins of the account afterwards. */
  async function change(id: string, next: string, { password, address }: Omit<PasswordAttempt, 'name'>) {
    const result = await tryOnce({ name: id, address }, password, await accounts.findById(id))
    if (!result.account) return result
    const hash = await hashPassword(next)
    if (!(await isCurrent(result.account))) return {}
    await accounts.setHash(id, hash)
    return result
  }

  /** Adds an account, or replaces its password. Returns its id. */
  async function set(name: string, password: string): Promise<string> {
    const key = toKey(name)
    const { id } = (await accounts.find(key)) ?? { id: randomBytes(12).toString('hex') }
    await accounts.save(key, { id, name, hash: await hashPassword(password) })
    return id
  }

  async function tryOnce(
    attempt: { name: string; address: string },
    password: string,
    account: Account | undefined
  ): Promise<PasswordResult> {
    const wait = hashes >= MAX_HASHES ? 1_000 : throttle.take(attempt)
    if (wait > 0) return { wait: Math.ceil(wait / 1_000) }
    hashes += 1
    try {
      const expected = account?.hash ?? (await (decoy ??= hashPassword(randomBytes(16).toString('hex'))))
      const isRight = await verifyPassword(password, expected)
      if (!account || !isRight || !(await isCurrent(account))) return {}
    } finally {
      hashes -= 1
    }
    throttle.succeed(attempt)
    return { account }
  }

  /** Whether the password is still the same: to compare or hash one takes long enough for another request to change it. */
  async function isCurrent({ id, hash }: Account): Promise<boolean> {
    return (await accounts.findById(id))?.hash === hash
  }
}

/** Key under which names that look the same are equal. */
export const toKey = (name: string): string => name.normalize('NFKC').trim().toLowerCase()

/** Opens accounts in SQLite. @param file created if it does not exist; `:memory:` for tests */
export function openAccounts(file: string): AccountStore {
  const db = openDatabase(
    file,
    `CREATE TABLE IF NOT EXISTS account (
      id TEXT PRIMARY KEY,
      key TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      hash TEXT NOT NULL
    );`
  )
  const select = db.prepare('SELECT id, name, hash FROM account WHERE key = ?')
  const selectById = db.prepare('SELECT id, name, hash FROM account WHERE id = ?')
  const upsert = db.prepare(
    'INSERT INTO account (id, key, name, hash) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET hash = excluded.hash'
  )
  const update = db.prepare('UPDATE account SET hash = ? WHERE id = ?')
  return {
    find: (key) => select.get(key) as Account | undefined,
    findById: (id) => selectById.get(id) as Account | undefined,
    save: (key, { id, name, hash }) => upsert.run(id, key, name, hash),
    setHash: (id, hash) => update.run(hash, id),
    close: () => db.close()
  }
}
