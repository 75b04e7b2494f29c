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
  readonly #onData = safeCallback((piece: Buffer) => {
    void this.#gatherer.add(piece)
    this.#flushLater()
  })
  readonly #onEnd = safeCallback(() => {
    this.#detach()
    void this.#gatherer.end()
    this.push(null)
  })
  readonly #onFailure = safeCallback((error?: Error) => {
    this.destroy(error)
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

  /**
   * Discards the rest of the body: a client that is still sending does not read its answer if nobody reads the body, and
   * gets none if the connection is closed.
   */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#detach()
    // A client that leaves at this moment makes the request fail afterwards.
    this.#source.on('error', () => {}).resume()
    // As a request does: nobody may listen any more after a refusal.
    done(this.listenerCount('error') > 0 ? error : null)
  }

  #attach() {
    this.#isAttached = true
    this.#source
      .on('data', this.#onData)
      .once('end', this.#onEnd)
      .once('error', this.#onFailure)
      .once('close', this.#onFailure)
  }

  #detach() {
    this.#source
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onFailure)
      .off('close', this.#onFailure)
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
