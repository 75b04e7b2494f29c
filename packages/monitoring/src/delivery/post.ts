import type { Readable } from 'node:stream'
import type { Agent, Dispatcher } from 'undici'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** A POST and how long it may take. */
export interface Post {
  origin: string
  path: string
  headers: Record<string, string>
  body: Buffer | Readable
  /** Ends it. */
  signal: AbortSignal
  /** Milliseconds until the headers of the answer are there. */
  timeout: number
}

/** What counts of an answer. */
export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
}

/** Bytes of an answer that are read, to keep its connection; of a longer one the connection is closed. */
const MAX_ANSWER = 16 * 1024

/** Milliseconds for the rest of an answer of which only status and headers count. */
const ANSWER_TIMEOUT = 2_000

/**
 * Resolves with status and headers; what comes after them is read and forgotten. By undici's handlers and not its
 * `request`: two signals and two streams a request cost more than the request.
 * @throws Error when no answer came, in time or at all
 */
export function post(agent: Agent, { timeout, signal, ...request }: Post): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let ended: Error | undefined
    let received = 0
    let timer = setTimeout(
      safeCallback(() => end(new Error(`not done within ${timeout} ms`))),
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
            safeCallback(() => end(new Error('its answer did not end'))),
            ANSWER_TIMEOUT
          )
          resolve({ status, headers })
        },
        onResponseData(_controller, chunk) {
          received += chunk.length
          if (received > MAX_ANSWER) end(new Error('its answer is too long'))
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
