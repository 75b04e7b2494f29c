import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigInvalid } from '@hull/common/errors.ts'

interface Log {
  warn: (details: object, message: string) => void
}

/** Minimum characters of a secret, the same as for SESSION_SECRET. */
const MIN_LENGTH = 32

/**
 * Returns the secret stored in a folder. Creates it on first use, readable by its owner only. If two processes start
 * together, both use the first one's secret.
 * @throws NodeJS.ErrnoException if the folder cannot be written
 * @throws ConfigInvalid if the file does not contain a secret
 */
function keepSessionSecret(folder: string): string {
  const file = join(folder, 'session-secret')
  const known = readSecret(file)
  if (known !== undefined) return known
  mkdirSync(folder, { recursive: true })
  // Not the process id, which may be equal in containers that share the folder.
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(draft, createSecret(), { mode: 0o600, flag: 'wx', flush: true })
    // Creating a link is atomic, and never replaces an existing file.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readSecret(file)!
}

const createSecret = () => randomBytes(32).toString('base64url')

function readSecret(file: string): string | undefined {
  let secret
  try {
    secret = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (secret.length < MIN_LENGTH)
    throw new ConfigInvalid(
      `${file} holds ${secret.length} characters, and a session secret has at least ${MIN_LENGTH}: restore the file, or remove it to have a new secret made, which signs every visitor out`
    )
  return secret
}

/**
 * Returns the stored secret. If nothing can be stored, returns a secret for this process only, so that a restart signs
 * visitors out.
 * @throws ConfigInvalid if the stored secret is damaged
 */
export function openSessionSecret(folder: string, log: Log): string {
  try {
    return keepSessionSecret(folder)
  } catch (err) {
    if (err instanceof ConfigInvalid) throw err
    log.warn(
      { err },
      'DATA_DIR cannot be written: sessions end with this process. Set SESSION_SECRET or a writable DATA_DIR'
    )
    return createSecret()
  }
}

interface SecretConfig {
  sessionSecret?: string
  sessionSecretPrevious?: string
  dataDir: string
  databaseUrl?: string
  redisUrl?: string
}

/**
 * Returns the secrets of the session: the one that signs, and the previous one if there is one. Without SESSION_SECRET,
 * the first is stored in DATA_DIR.
 * @throws ConfigInvalid if the stored secret is damaged
 */
export function readSessionSecrets(config: SecretConfig, log: Log): [current: string, ...previous: string[]] {
  const { sessionSecret, sessionSecretPrevious: previous, dataDir, databaseUrl, redisUrl } = config
  if (sessionSecret === undefined && (databaseUrl ?? redisUrl) !== undefined)
    log.warn(
      {},
      'SESSION_SECRET is not set, so each replica signs sessions with a key of its own, and visitors who reach another replica are signed out. Set the same value on every replica'
    )
  return [sessionSecret ?? openSessionSecret(dataDir, log), ...(previous === undefined ? [] : [previous])]
}
