import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { corruptMark, putAside } from '../sqlite-file.ts'

/** Damaged files that are kept. A guess: what damages one file will damage the next, and nobody reads more of them. */
const KEPT = 2

/**
 * Keeps what cannot be read under a new name, for whoever wants to try.
 * @returns that name
 */
export const putCorruptAside = (path: string): string => putAside(path, `${path}.${corruptMark()}`)

/** Removes what was put aside of a file and its siblings, but for the newest: a disk that damages files must not fill up with them. */
export function removeOldCopies(file: string): void {
  const folder = dirname(file)
  const extension = extname(file)
  const stem = basename(file, extension)
  const copies = new Map<string, string[]>()
  for (const name of readdirSync(folder)) {
    const { of, time } = COPY.exec(name)?.groups ?? {}
    if (of === undefined || !isSibling(of)) continue
    const key = `${time} ${of}`
    copies.set(key, [...(copies.get(key) ?? []), name])
  }
  // By their times, which sort as text.
  const old = [...copies.keys()].sort().slice(0, -KEPT)
  for (const key of old) for (const name of copies.get(key)!) remove(join(folder, name))

  function isSibling(name: string) {
    const number = name.slice(stem.length, name.length - extension.length)
    return name.startsWith(stem) && name.endsWith(extension) && /^(?:\.\d+)?$/.test(number)
  }
}

function remove(path: string): void {
  try {
    rmSync(path)
  } catch {
    // Somebody else's by now, or gone: the spool is none the worse for it.
  }
}

const COPY = /^(?<of>.+)\.corrupt-(?<time>\d{4}-\d\d-\d\dT[\d-]+Z)(?:-wal|-shm)?$/
