import { readSync } from 'node:fs'

/** Reads the beginning of a file into a buffer. @returns bytes read, fewer than the buffer has if the file is shorter */
export function readStart(fd: number, buffer: Uint8Array): number {
  let length = 0
  for (let read; (read = readSync(fd, buffer, length, buffer.length - length, length)) > 0;) length += read
  return length
}
