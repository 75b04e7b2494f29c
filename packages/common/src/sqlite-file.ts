import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/* What the spool and the inbox do alike with a file of SQLite. */

const SQLITE_BUSY = 5
const SQLITE_READONLY = 8
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
/** A write that the system refused, such as past a limit on the size of files. */
const SQLITE_IOERR_WRITE = 778
const SQLITE_NOTADB = 26

/** What SQLite keeps beside a file, and the file. */
const SUFFIXES = ['-wal', '-shm', '']

/** SQLite's own code of an error, without what extends it; 0 where it is none of SQLite's. */
export const sqliteCodeOf = (error: unknown): number =>
  ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff

export const isBusy = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_BUSY

/** Whether the file has reached its bound, or the disk its end. */
export const isFull = (error: unknown): boolean =>
  sqliteCodeOf(error) === SQLITE_FULL || (error as { errcode?: number } | undefined)?.errcode === SQLITE_IOERR_WRITE

/** Whether the file, and not the moment, is to blame. */
export const isCorrupt = (error: unknown): boolean => [SQLITE_CORRUPT, SQLITE_NOTADB].includes(sqliteCodeOf(error))

/** Whether the file may not be written: by its mode, or because its disk is mounted so. */
export const isReadOnly = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_READONLY

/** The inode numbers of a file and of its write-ahead log; 0 for a file that does not exist. */
export interface Inodes {
  main: number
  log: number
}

/**
 * Compare with the result from when the file was opened: a file that was removed or replaced since is still written
 * through its open handle, and all of that is gone when the process ends.
 */
export const inodesOf = (path: string): Inodes => ({ main: inodeOf(path), log: inodeOf(`${path}-wal`) })

const inodeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.ino ?? 0

/** Makes a file that is not there, for its owner alone: what visitors did is in there. SQLite gives its other files the same mode. */
export function ensurePrivateFile(path: string): void {
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 })
}

/** `corrupt-` and the time: part of the name of what cannot be read, and is kept for whoever wants to try. */
export const corruptMark = (): string => `corrupt-${new Date().toISOString().replace(/[:.]/g, '-')}`

/** What {@link corruptMark} made, in a name: its time sorts as text. */
export const CORRUPT_MARK = String.raw`corrupt-(?<time>\d{4}-\d\d-\d\dT[\d-]+Z)`

/** Gives a file, with what SQLite keeps beside it, another name. @returns that name */
export function putAside(path: string, aside: string): string {
  for (const suffix of SUFFIXES) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  return aside
}

/** Damaged files that are kept. A guess: what damages one file will damage the next, and nobody reads more of them. */
const KEPT = 2

/**
 * Removes what was put aside in a folder, but for the newest: a disk that damages files must not fill up with them.
 * @param copyOf the copy that a file belongs to, its time first; undefined where it is none
 */
export function removeOldCopies(folder: string, copyOf: (name: string) => string | undefined): void {
  const copies = new Map<string, string[]>()
  for (const name of readdirSync(folder)) {
    const copy = copyOf(name)
    if (copy !== undefined) copies.set(copy, [...(copies.get(copy) ?? []), name])
  }
  for (const copy of [...copies.keys()].sort().slice(0, -KEPT))
    for (const name of copies.get(copy)!) remove(join(folder, name))
}

function remove(path: string): void {
  try {
    rmSync(path)
  } catch {
    // Somebody else's by now, or gone: nobody is the worse for it.
  }
}
