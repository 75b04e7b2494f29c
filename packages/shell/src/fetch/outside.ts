import type { Answer, Hop } from './hop.ts'

/** Milliseconds for a connection to stand. Ours: two fit into the deadline, with room for an answer. */
const CONNECT_TIMEOUT = 2_500

/** The way to other services. */
export interface Outside {
  /** Sends a hop to another service. Redirects are ours to follow; nothing of the visitor's goes along. */
  fetch: (hop: Hop) => Promise<Answer>
  /** Ends its connections, open requests included. */
  destroy: () => Promise<void>
}

/**
 * Opens the connections to other services: one pool for a process, ended by whoever opened it. undici is loaded by the
 * first call, since a start should not wait for what many applications never use. Its own timeouts for headers and body
 * stay out of the way: every call has a deadline.
 */
export function openOutside(): Outside {
  let opening: ReturnType<typeof openPool> | undefined

  return {
    async fetch({ url, method, headers, payload, signal }) {
      const { undici, dispatcher } = await (opening ??= openPool())
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
      const pool = await opening
      await pool?.dispatcher.destroy()
    }
  }
}

/** `fetch` and `Agent` come from the same undici: Node's built-in fetch may be too old for this Agent. */
async function openPool() {
  const undici = await import('undici')
  return { undici, dispatcher: new undici.Agent({ connect: { timeout: CONNECT_TIMEOUT } }) }
}
