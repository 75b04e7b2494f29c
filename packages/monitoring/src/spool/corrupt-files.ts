import { basename, dirname, extname } from 'node:path'
import { CORRUPT_MARK, corruptMark, putAside, removeOldCopies } from '@hull/common/sqlite-file.ts'

/** `spool.db.corrupt-<time>`, with what SQLite keeps beside it. */
const COPY = new RegExp(`^(?<of>.+)\\.${CORRUPT_MARK}(?:-wal|-shm)?$`)

/**
 * Keeps what cannot be read under a new name, for whoever wants to try.
 * @returns that name
 */
export const putCorruptAside = (path: string): string => putAside(path, `${path}.${corruptMark()}`)

/** Removes what was put aside of a file and its siblings, but for the newest two. */
export function removeOldSpools(file: string): void {
  const extension = extname(file)
  const stem = basename(file, extension)
  removeOldCopies(dirname(file), (name) => {
    const { of, time } = COPY.exec(name)?.groups ?? {}
    return of !== undefined && isSibling(of) ? `${time} ${of}` : undefined
  })

  function isSibling(name: string) {
    const number = name.slice(stem.length, name.length - extension.length)
    return name.startsWith(stem) && name.endsWith(extension) && /^(?:\.\d+)?$/.test(number)
  }
}
