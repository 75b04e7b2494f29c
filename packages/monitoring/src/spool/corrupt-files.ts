import { basename, dirname, extname } from 'node:path'
import { CORRUPT_MARK, corruptMark, renameWithCompanions, removeOldDamagedFiles } from '@hull/common/sqlite-file.ts'

/** `spool.db.corrupt-<time>`, and the files that SQLite keeps next to it. */
const COPY = new RegExp(`^(?<of>.+)\\.${CORRUPT_MARK}(?:-wal|-shm)?$`)

/**
 * Renames a file that cannot be read, so that it can be examined later.
 * @returns the new name
 */
export const putCorruptAside = (path: string): string => renameWithCompanions(path, `${path}.${corruptMark()}`)

/** Removes the renamed damaged copies of a file and its siblings, except for the newest two. */
export function removeOldSpools(file: string): void {
  const extension = extname(file)
  const stem = basename(file, extension)
  removeOldDamagedFiles(dirname(file), (name) => {
    const { of, time } = COPY.exec(name)?.groups ?? {}
    return of !== undefined && isSibling(of) ? `${time} ${of}` : undefined
  })

  function isSibling(name: string) {
    const number = name.slice(stem.length, name.length - extension.length)
    return name.startsWith(stem) && name.endsWith(extension) && /^(?:\.\d+)?$/.test(number)
  }
}
