import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The secret kept in a folder, made on first use, readable by its owner alone. Of two processes that start at once, both
 * get the one that was there first.
 * @throws NodeJS.ErrnoException when the folder cannot be written
 */
function keepSessionSecret(folder: string): string {
  const file = join(folder, 'session-secret')
  const known = readIfThere(file)
  if (known) return known
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
  return readFileSync(file, 'utf8')
}

const createSecret = () => randomBytes(32).toString('base64url')

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The kept secret, or one for the life of this process where nothing can be kept: visitors are signed out by a restart. */
export function openSessionSecret(folder: string, log: { warn: (details: object, message: string) => void }): string {
  try {
    return keepSessionSecret(folder)
  } catch (err) {
    log.warn(
      { err },
      'DATA_DIR cannot be written: sessions end with this process. Set SESSION_SECRET or a writable DATA_DIR'
    )
    return createSecret()
  }
}
