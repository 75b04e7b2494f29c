import { openAgent } from '@hull/common/http/env-proxy.ts'
import { LazyValue } from '@hull/common/lazy-value.ts'
import type { Answer, Hop } from './hop.ts'

/**
 * Milliseconds until a connection must be open. A guess: two attempts fit into the deadline, with time for an answer.
 */
const CONNECT_TIMEOUT = 2_500

/** Transport to other services. */
export interface ExternalFetch {
  /** Sends a hop to another service, without the visitor's headers. Does not follow redirects. */
  fetch: (hop: Hop) => Promise<Answer>
  /** Closes the connections and cancels open requests. */
  destroy: () => Promise<void>
}

/**
 * Opens a connection pool for other services. The caller must destroy it. The first call loads undici, so that
 * applications without such calls start faster. undici's own timeouts for headers and body stay out of the way: every
 * call has a deadline.
 */
export function openExternalFetch(): ExternalFetch {
  const pool = new LazyValue(openPool)

  return {
    async fetch({ url, method, headers, payload, signal }) {
      const { undici, dispatcher } = await pool.get()
      const response = await undici.fetch(url, {
        method,
        headers: [...headers],
        body: payload === null ? undefined : (payload.bytes ?? payload.stream),
        signal,
        redirect: 'manual',
        dispatcher,
        duplex: 'half'
      })
      return {
        status: response.status,
        statusText: response.statusText,
        headers: new Headers([...response.headers]),
        body: response.body,
        exhausted: () => false
      }
    },
    async destroy() {
      const opened = await pool.peek()
      await opened?.dispatcher.destroy()
    }
  }
}

/** Takes `fetch` and `Agent` from the same undici: Node's built-in fetch may be too old for this Agent. */
async function openPool() {
  const undici = await import('undici')
  return { undici, dispatcher: openAgent(undici, { connectTimeout: CONNECT_TIMEOUT }) }
}
