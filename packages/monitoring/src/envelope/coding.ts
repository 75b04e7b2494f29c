import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { MonitoringCoding } from '../errors.ts'

/** Makes what inflates a body; null for one that is as it is. */
export type Decoder = (() => Transform) | null

/** log2 of 8 MiB: what a window may need (RFC 9659 §3). Node's own bound of 128 MiB would be memory for a few bytes sent. */
const ZSTD_WINDOW_LOG = 23

/** By name, as Relay takes them. The window of brotli ends at 16 MiB by itself (RFC 7932 §9.1). */
const DECODERS = new Map<string, Decoder>([
  ['', null],
  ['identity', null],
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })]
])

/** What is understood, as an answer of 415 names it (RFC 9110 §12.5.3). */
export const ACCEPTED_CODINGS = 'gzip, deflate, br, zstd'

/**
 * Finds the decoder for a `Content-Encoding`.
 * @throws MonitoringCoding for one that is not known, or several on top of one another
 */
export function findDecoder(coding: string | undefined): Decoder {
  if (coding === undefined) return null
  const decoder = DECODERS.get(coding.trim().toLowerCase())
  if (decoder === undefined) throw new MonitoringCoding()
  return decoder
}
