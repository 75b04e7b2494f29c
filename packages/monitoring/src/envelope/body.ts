import type { Readable } from 'node:stream'
import { ClientGone } from '@hull/common/errors.ts'
import { MonitoringMalformed, MonitoringTooLarge } from '../errors.ts'
import type { Decoder } from './coding.ts'
import { MAX_BODY_BYTES } from './limits.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

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
