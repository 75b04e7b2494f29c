import { isUtf8 } from 'node:buffer'
import { MAX_ITEMS } from '@hull/monitoring/envelope'
import type { Item } from './context.ts'

const NEWLINE = 0x0a

/**
 * The items of an envelope, from everything after its header line, by the rules that {@link ItemScanner} lists.
 * @param onMalformed called where the rest cannot be read; the items before it were given
 */
export function* readItems(body: Uint8Array, onMalformed: () => void): Generator<Item> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let at = 0
  for (let items = 0; ; items++) {
    while (bytes[at] === NEWLINE) at++ // point 5
    if (at >= bytes.length) return
    const newline = lineEnd(bytes, at)
    const header = items < MAX_ITEMS ? readHeader(bytes.subarray(at, newline)) : undefined
    if (header === undefined) return onMalformed()
    const start = Math.min(newline + 1, bytes.length)
    const { type, length } = header
    const end = length == null ? lineEnd(bytes, start) : start + (length as number) // points 2, 3, 4
    if (end > bytes.length || (length != null && end < bytes.length && bytes[end] !== NEWLINE)) return onMalformed()
    yield { type: type as string, header, payload: bytes.subarray(start, end) }
    at = end + 1
  }
}

function lineEnd(bytes: Buffer, from: number): number {
  const newline = bytes.indexOf(NEWLINE, from)
  return newline === -1 ? bytes.length : newline
}

function readHeader(line: Buffer): Record<string, unknown> | undefined {
  try {
    const header: unknown = isUtf8(line) ? JSON.parse(line.toString()) : undefined
    if (typeof header !== 'object' || header === null) return undefined
    const { type, length } = header as Record<string, unknown>
    if (typeof type !== 'string' || type === '') return undefined
    if (length != null && !(Number.isSafeInteger(length) && (length as number) >= 0)) return undefined
    return header as Record<string, unknown>
  } catch {
    return undefined
  }
}
