import { negotiate } from '@fastify/accept-negotiator'

const OFFERED = ['text/html', 'application/json', 'application/problem+json']

/** Whether the answer is for a program: one that accepts JSON, and HTML less or not at all. A browser, curl and a missing header get HTML. */
export function prefersJson(accept: string | undefined): boolean {
  // What browsers send is known without reading on; with a quality, `text/html` may come second.
  if (accept === undefined || accept === '*/*' || accept.startsWith('text/html,')) return false
  const chosen = negotiate(accept, OFFERED)
  return chosen === 'application/json' || chosen === 'application/problem+json'
}
