import { Agent, fetch, type Dispatcher } from 'undici'
import type { Answer, Hop } from './hop.ts'

/** Milliseconds for a connection to stand. Ours: two fit into the deadline, with room for an answer. */
const CONNECT_TIMEOUT = 2_500

/**
 * The connections to other services: one per process, closed by whoever opened it. Its own timeouts for headers
 * and body stay out of the way, since every call has a deadline. `fetch` and `Agent` come from the same undici:
 * Node's built-in fetch may be too old for this Agent.
 */
export function openAgent(): Agent {
  return new Agent({ connect: { timeout: CONNECT_TIMEOUT } })
}

/** Sends a hop to another service. Redirects are ours to follow; nothing of the visitor's goes along. */
export async function fetchOutside(hop: Hop, dispatcher: Dispatcher): Promise<Answer> {
  const { url, method, headers, payload, signal } = hop
  const response = await fetch(url, {
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
}
