import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { InboxCommandInvalid } from '../errors.ts'

/** Codes of a read-only file system, and of a folder that belongs to another user. */
const NOT_WRITABLE = ['EROFS', 'EACCES', 'EPERM']

/**
 * Creates the folder of a file if it does not exist, and checks that files can be created in it. A container often has
 * a read-only file system, for which Node's `mkdir` and SQLite have errors that do not say so.
 * @throws InboxCommandInvalid that names the folder and the reason
 */
export function ensureWritableFolder(file: string): void {
  const folder = dirname(resolve(file))
  try {
    accessSync(findExisting(folder), constants.W_OK)
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    const advice = NOT_WRITABLE.includes(code) ? '. In a container, use a folder on a volume, such as /data' : ''
    throw new InboxCommandInvalid(`the folder ${folder} cannot be written: ${message}${advice}`, { cause })
  }
}

/** Returns the folder itself, or the nearest folder above it that exists. */
const findExisting = (folder: string): string => (existsSync(folder) ? folder : findExisting(dirname(folder)))
