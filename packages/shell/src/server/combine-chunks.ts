import { Readable } from 'node:stream'
import type { preParsingHookHandler } from 'fastify'
import { Gatherer } from '@hull/common/http/gatherer.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/**
 * Combines the small chunks of a request's body. Fastify, and most other parsers, keep each chunk until the body is
 * complete: in chunks of one byte, a body takes a hundred times its size. A body with a Content-Length arrives in pieces
 * of the network, which are larger.
 */
export const combineChunks: preParsingHookHandler = function combineChunks(request, _reply, payload, done) {
  done(null, request.headers['transfer-encoding'] === undefined ? payload : new CombinedBody(payload as Readable))
}

/**
 * A body without small pieces: those of one turn of the event loop are one piece. Reads nothing until it is read, since
 * some parsers read the request itself.
 */
class CombinedBody extends Readable {
  readonly #source: Readable
  readonly #gatherer = new Gatherer((piece) => {
    if (!this.push(piece)) this.#source.pause()
    return undefined
  })
  #isAttached = false
  #isFlushDue = false

  constructor(source: Readable) {
    super()
    this.#source = source
  }

  override _read(): void {
    if (!this.#isAttached) this.#attach()
    this.#source.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#source.readableEnded) this.#source.destroy(error ?? undefined)
    // As a request does: nobody may listen any more after a refusal.
    done(this.listenerCount('error') > 0 ? error : null)
  }

  #attach() {
    this.#isAttached = true
    const onData = safeCallback((piece: Buffer) => {
      void this.#gatherer.add(piece)
      this.#flushLater()
    })
    const onEnd = safeCallback(() => {
      void this.#gatherer.end()
      this.push(null)
    })
    const onFailure = safeCallback((error?: Error) => {
      if (!this.#source.readableEnded) this.destroy(error)
    })
    this.#source.on('data', onData).once('end', onEnd).once('error', onFailure).once('close', onFailure)
  }

  /** A client may wait for an answer to a small piece before it sends more. */
  #flushLater() {
    if (this.#isFlushDue) return
    this.#isFlushDue = true
    setImmediate(
      safeCallback(() => {
        this.#isFlushDue = false
        void this.#gatherer.end()
      })
    )
  }
}
