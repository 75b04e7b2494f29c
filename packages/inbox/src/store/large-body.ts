import { fstatSync, readSync, type BigIntStats } from 'node:fs'

/** A body in an unlinked file. The system frees the file when the descriptor is closed or the process ends. */
export interface LargeBody {
  fd: number
  /** Bytes. */
  length: number
  /** Identity of the file, see {@link identityOf}. */
  identity: string
}

/** Identity of a file. Inode numbers are used again, so the time of creation is part of it, if the disk has one. */
export const identityOf = ({ dev, ino, birthtimeNs }: BigIntStats): string => `${dev}:${ino}:${birthtimeNs}`

/**
 * Reads a body in another thread than the one that owns the file.
 * @throws Error if the owner has closed the file, whose descriptor may now belong to another one
 * @throws Error if the file has fewer bytes
 */
export function readLargeBody({ fd, length, identity }: LargeBody): Uint8Array {
  const body = new Uint8Array(length)
  if (readStart(fd, body) < length) throw new Error('the body of an envelope is cut short')
  // Afterwards, because the owner may close the file during the reading as well.
  if (identityOf(fstatSync(fd, { bigint: true })) !== identity)
    throw new Error('the file with the body of an envelope is closed')
  return body
}

/** Reads the beginning of a file into a buffer. @returns bytes read, fewer than the buffer has if the file is shorter */
function readStart(fd: number, buffer: Uint8Array): number {
  let length = 0
  for (let read; (read = readSync(fd, buffer, length, buffer.length - length, length)) > 0;) length += read
  return length
}
