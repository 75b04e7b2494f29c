import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigInvalid } from '@hull/common/errors.ts'

/** Characters of the shortest secret, the same as SESSION_SECRET takes. */
const MIN_LENGTH = 32

/**
 * The secret kept in a folder, made on first use, readable by its owner alone. Of two processes that start at once, both
 * get the one that was there first.
 * @throws NodeJS.ErrnoException when the folder cannot be written
 * @throws ConfigInvalid when the file holds no secret
 */
function keepSessionSecret(folder: string): string {
  const file = join(folder, 'session-secret')
  const known = readSecret(file)
  if (known !== undefined) return known
  mkdirSync(folder, { recursive: true })
  // Not the process id: in containers that share the folder, each has the same.
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(draft, createSecret(), { mode: 0o600, flag: 'wx', flush: true })
    // A link appears whole or not at all, and never replaces what is there.
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
 * The kept secret, or one for the life of this process where nothing can be kept: visitors are signed out by a restart.
 * @throws ConfigInvalid when what is kept is damaged
 */
export function openSessionSecret(folder: string, log: { warn: (details: object, message: string) => void }): string {
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
