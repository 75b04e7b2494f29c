import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** A POST request and its time limit. */
export interface Post {
  origin: string
  path: string
  headers: Record<string, string>
  body: Buffer | Readable
  /** Aborts the request. */
  signal: AbortSignal
  /** Maximum milliseconds until the headers of the answer arrive. */
  timeout: number
}

/** Parts of an answer that the caller needs. */
export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
}

/** Maximum bytes of an answer to read, so that its connection can be reused. A longer answer closes the connection. */
const MAX_ANSWER = 16 * 1024

/** Maximum milliseconds for the body of an answer, after its headers. */
const ANSWER_TIMEOUT = 2_000

/**
 * Resolves with status and headers; reads and discards the body. Uses undici's handlers instead of `request`, whose two
 * signals and two streams cost more than the request itself.
 * @throws Error if there is no answer in time
 */
export function post(agent: Dispatcher, { timeout, signal, ...request }: Post): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let ended: Error | undefined
    let received = 0
    let timer = setTimeout(
      safeCallback(() => end(new Error(`no answer within ${timeout} ms`))),
      timeout
    )
    const close = safeCallback(() => end(new Error('closed')))
    signal.addEventListener('abort', close)

    function end(reason: Error) {
      ended ??= reason
      controller?.abort(ended)
      settle()
      reject(ended)
    }
    function settle() {
      clearTimeout(timer)
      signal.removeEventListener('abort', close)
    }

    if (signal.aborted) return close()
    agent.dispatch(
      { ...request, method: 'POST' },
      {
        onRequestStart(started) {
          controller = started
          if (ended) started.abort(ended)
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return
          clearTimeout(timer)
          timer = setTimeout(
            safeCallback(() => end(new Error(`the answer did not end within ${ANSWER_TIMEOUT} ms`))),
            ANSWER_TIMEOUT
          )
          resolve({ status, headers })
        },
        onResponseData(_controller, chunk) {
          received += chunk.length
          if (received > MAX_ANSWER) end(new Error(`the answer is longer than ${MAX_ANSWER} bytes`))
        },
        onResponseEnd: settle,
        onResponseError(_controller, error) {
          settle()
          reject(ended ?? error)
        }
      }
    )
  })
}
