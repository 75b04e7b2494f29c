import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from './attempt.ts'

/* Functions for SQLite files that the spool and the inbox share. */

const SQLITE_BUSY = 5
const SQLITE_READONLY = 8
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
/** A write that the system refused, for example because of a file size limit. */
const SQLITE_IOERR_WRITE = 778
const SQLITE_NOTADB = 26

/** Suffixes of the files that SQLite keeps next to a file, and of the file itself. */
const SUFFIXES = ['-wal', '-shm', '']

/** SQLite's primary result code of an error; 0 if it is not an error of SQLite. */
export const sqliteCodeOf = (error: unknown): number =>
  ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff

export const isBusy = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_BUSY

/** Whether the file has reached its maximum size, or the disk is full. */
export const isFull = (error: unknown): boolean =>
  sqliteCodeOf(error) === SQLITE_FULL || (error as { errcode?: number } | undefined)?.errcode === SQLITE_IOERR_WRITE

/** Whether the file is damaged, so that trying again does not help. */
export const isCorrupt = (error: unknown): boolean => [SQLITE_CORRUPT, SQLITE_NOTADB].includes(sqliteCodeOf(error))

/** Whether the file is read-only, because of its mode or its disk. */
export const isReadOnly = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_READONLY

/** Inode numbers of a file and of its write-ahead log; 0 for a file that does not exist. */
export interface Inodes {
  main: number
  log: number
}

/**
 * Reads the inode numbers. Compare them with those from when the file was opened: a file that was removed or replaced
 * since then is still written through its open handle, and these writes are lost when the process ends.
 */
export const inodesOf = (path: string): Inodes => ({ main: inodeOf(path), log: inodeOf(`${path}-wal`) })

const inodeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.ino ?? 0

/**
 * Creates a missing file that only its owner can read, because it contains data about visitors. SQLite gives its other
 * files the same mode. Does not empty a file that another process creates at the same moment.
 */
export function ensurePrivateFile(path: string): void {
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600, flag: 'a' })
}

/** `corrupt-` and the time: part of the new name of a damaged file. */
export const corruptMark = (): string => `corrupt-${new Date().toISOString().replace(/[:.]/g, '-')}`

/** Pattern for {@link corruptMark} in a name. The time can be sorted as text. */
export const CORRUPT_MARK = String.raw`corrupt-(?<time>\d{4}-\d\d-\d\dT[\d-]+Z)`

/**
 * Renames a file and the files that SQLite keeps next to it.
 * @returns the new name
 */
export function renameWithCompanions(path: string, aside: string): string {
  for (const suffix of SUFFIXES) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  return aside
}

/** Number of damaged files to keep. A guess: one cause damages every further file, and more copies are of no use. */
const KEPT = 2

/**
 * Removes all but the newest renamed copies in a folder, so that a disk that damages files does not fill up.
 * @param copyOf returns the copy that a file belongs to, beginning with its time; undefined if it belongs to none
 */
export function removeOldDamagedFiles(folder: string, copyOf: (name: string) => string | undefined): void {
  const filesOf = Map.groupBy(readdirSync(folder), (name) => copyOf(name))
  const copies = [...filesOf.keys()].filter((copy) => copy !== undefined).sort()
  // A file that is already removed, or cannot be removed, does no harm.
  for (const copy of copies.slice(0, -KEPT))
    for (const name of filesOf.get(copy)!) attempt(() => rmSync(join(folder, name)))
}
