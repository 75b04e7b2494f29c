import type { FastifyReply } from 'fastify'
import { Redirect } from '@hull/common/outcomes.ts'

/** Statuses that a browser remembers. */
const PERMANENT = [301, 308]

/**
 * Fastify's reply as a page is given it. `redirect` ends the page: a navigation learns of it from the page's data, where
 * fetch would follow a `Location` by itself.
 */
export function toPageReply(reply: FastifyReply): FastifyReply {
  return new Proxy(reply, {
    get: (target, key, receiver): unknown => (key === 'redirect' ? redirect : Reflect.get(target, key, receiver))
  })
}

function redirect(to: string, status?: number): never {
  throw new Redirect(to, { permanent: status !== undefined && PERMANENT.includes(status), external: true })
}
