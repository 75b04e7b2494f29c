import type { Readable, Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  type Zlib
} from 'node:zlib'
import { ClientGone } from '@hull/common/errors.ts'
import type { OnPiece } from '@hull/common/http/gatherer.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { MAX_BODY_BYTES } from './limits.ts'
import { MonitoringCoding, MonitoringMalformed, MonitoringTooLarge } from '../errors.ts'

/**
 * Passes a body to `onPiece` piece by piece, inflated, one piece at a time.
 * @throws ClientGone if the body is incomplete
 * @throws MonitoringMalformed if the body is not encoded as its Content-Encoding says
 * @throws MonitoringTooLarge if the body is too large before it is inflated
 * @throws the error of `onPiece`
 */
export async function readPieces(body: Readable, decoder: Decoder, onPiece: OnPiece): Promise<void> {
  // It emits no further event.
  if (body.destroyed) throw new ClientGone()
  if (!decoder) return await readAll(body, onPiece, toClientGone)
  const inflated = decoder()
  let size = 0
  const count = safeCallback((piece: Buffer) => {
    size += piece.length
    if (size > MAX_BODY_BYTES)
      inflated.destroy(new MonitoringTooLarge(`the body has more than ${MAX_BODY_BYTES} bytes`))
  })
  const breakOff = safeCallback(() => {
    if (!body.readableEnded) inflated.destroy(new ClientGone())
  })
  body.on('data', count).once('error', breakOff).once('close', breakOff).pipe(inflated)
  try {
    await readAll(inflated, onPiece, toCodingError)
    // Node ends at the end of the first zstd frame, and the items of the next one would be lost.
    if (inflated.bytesWritten < size) throw toCodingError()
  } finally {
    body.off('data', count).off('error', breakOff).off('close', breakOff).unpipe(inflated)
    inflated.destroy()
  }
}

/**
 * Reads and discards the rest of a refused body: a client that is still sending does not read its answer, and a reused
 * connection must reach the next request. Closes the connection if the rest is larger than an envelope may be.
 */
export function discardRest(body: Readable): void {
  if (body.destroyed || body.readableEnded) return
  let left = MAX_BODY_BYTES
  body.on('error', () => {})
  body.on(
    'data',
    safeCallback((piece: Buffer) => {
      left -= piece.length
      if (left < 0) body.destroy()
    })
  )
  body.resume()
}

const toClientGone = () => new ClientGone()

/** Keeps our own errors; all others are zlib's. */
const toCodingError = (error?: Error) =>
  error instanceof ClientGone || error instanceof MonitoringTooLarge
    ? error
    : new MonitoringMalformed('the body is not encoded as its Content-Encoding says')

function readAll(source: Readable, onPiece: OnPiece, toFailure: (error: Error) => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    let waited: Promise<void> | undefined
    const onData = safeCallback((piece: Buffer) => {
      try {
        const wait = onPiece(piece)
        if (wait) pauseFor(wait)
      } catch (error) {
        stop(error as Error)
      }
    })
    // Emitted with the last piece, even while paused.
    const onEnd = safeCallback(() => {
      detach()
      resolve(waited)
    })
    const onError = safeCallback((error: Error) => {
      stop(toFailure(error))
    })
    const onClose = safeCallback(() => {
      stop(new ClientGone())
    })

    function pauseFor(wait: Promise<void>) {
      waited = wait
      source.pause()
      wait.then(() => source.resume(), stop)
    }
    function stop(error: Error) {
      source.pause()
      detach()
      reject(error)
    }
    function detach() {
      source.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError)
    }

    source.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError)
  })
}

/** Creates the stream that inflates a body; null for a body that is not encoded. */
export type Decoder = (() => Transform & Zlib) | null

/**
 * log2 of 8 MiB, the largest window that a decoder must support (RFC 9659 §3). Node's limit of 128 MiB would let a few
 * bytes allocate that much memory.
 */
const ZSTD_WINDOW_LOG = 23

/** By name, as in Relay. Brotli itself limits its window to 16 MiB (RFC 7932 §9.1). */
const DECODERS = new Map<string, Decoder>([
  ['', null],
  ['identity', null],
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })]
])

/** Accepted encodings, as listed in an answer with 415 (RFC 9110 §12.5.3). */
export const ACCEPTED_CODINGS = 'gzip, deflate, br, zstd'

/**
 * Finds the decoder for a `Content-Encoding`.
 * @throws MonitoringCoding for an unknown one, or several combined
 */
export function findDecoder(coding: string | undefined): Decoder {
  if (coding === undefined) return null
  const decoder = DECODERS.get(coding.trim().toLowerCase())
  if (decoder === undefined) throw new MonitoringCoding()
  return decoder
}
