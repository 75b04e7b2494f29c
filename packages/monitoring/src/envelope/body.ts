import type { Readable, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { ClientGone } from '@hull/common/errors.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { MAX_BODY_BYTES } from './limits.ts'
import { MonitoringCoding, MonitoringMalformed, MonitoringTooLarge } from '../errors.ts'

/** Takes a piece of a body. A promise asks to wait before the next. */
export type Take = (piece: Buffer) => Promise<void> | undefined

/**
 * Gives a body to `take` piece by piece, inflated, and never more than one at a time.
 * @throws ClientGone when it breaks off
 * @throws MonitoringMalformed when it is not encoded as it says
 * @throws MonitoringTooLarge when too much came before it was inflated
 * @throws whatever `take` does
 */
export async function readPieces(body: Readable, decoder: Decoder, take: Take): Promise<void> {
  if (!decoder) return await pour(body, take, toClientGone)
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
    await pour(inflated, take, toCodingError)
  } finally {
    body.off('data', count).off('error', breakOff).off('close', breakOff).unpipe(inflated)
    inflated.destroy()
  }
}

/**
 * Reads the rest of a refused body and forgets it: a client that still sends does not read its answer, and a connection
 * that is reused must come to the next request. One that goes on past an envelope's size is cut.
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

/** Errors of our own pass; any other is zlib's. */
const toCodingError = (error: Error) =>
  error instanceof ClientGone || error instanceof MonitoringTooLarge
    ? error
    : new MonitoringMalformed('the body is not encoded as its Content-Encoding says')

function pour(source: Readable, take: Take, toFailure: (error: Error) => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    let waited: Promise<void> | undefined
    const onData = safeCallback((piece: Buffer) => {
      try {
        const wait = take(piece)
        if (wait) pauseFor(wait)
      } catch (error) {
        stop(error as Error)
      }
    })
    // Comes with the last piece, paused or not.
    const onEnd = safeCallback(() => {
      settle(() => {
        resolve(waited)
      })
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
      settle(() => {
        reject(error)
      })
    }
    function settle(end: () => void) {
      source.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError)
      end()
    }

    source.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError)
    if (source.destroyed) onClose()
  })
}

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

/** Bytes of a piece that is worth passing on by itself. */
const SMALL = 1_024

/** Bytes that small pieces are put together to. A guess: what zlib gives at a time. */
const GATHERED = 16 * 1024

/**
 * Puts small pieces together: a body may come in chunks of one byte, and whoever keeps some of them for a while would
 * spend a hundred bytes on each.
 */
export class Gatherer {
  readonly #take: Take
  #held: Buffer | undefined
  /** What {@link #held} is the beginning of, once it is no longer the piece that came. */
  #room: Buffer | undefined

  /** @param take is given the pieces, one at most for each that comes */
  constructor(take: Take) {
    this.#take = take
  }

  add(piece: Buffer): ReturnType<Take> {
    const held = this.#held
    if (!held) {
      if (piece.length >= SMALL) return this.#take(piece)
      this.#held = piece
      return undefined
    }
    if (held.length + piece.length <= GATHERED) {
      this.#append(held, piece)
      return undefined
    }
    this.#held = piece
    this.#room = undefined
    return this.#take(held)
  }

  /** Passes on what is held. */
  end(): ReturnType<Take> {
    const held = this.#held
    this.#held = undefined
    return held && this.#take(held)
  }

  #append(held: Buffer, piece: Buffer) {
    if (!this.#room) {
      this.#room = Buffer.allocUnsafeSlow(GATHERED)
      held.copy(this.#room)
    }
    piece.copy(this.#room, held.length)
    this.#held = this.#room.subarray(0, held.length + piece.length)
  }
}
