import type { FastifyReply, FastifyRequest } from 'fastify'

/** Status of a request whose client left before the headers were sent, as in nginx's logs. It is never sent. */
const CLIENT_LEFT = 499

/** Status of a handshake that opened a WebSocket. */
const SWITCHING_PROTOCOLS = 101

/** Status of a request that has ended, with or without an answer. */
export function endedStatusOf({ raw: { headers } }: FastifyRequest, { raw, sent }: FastifyReply): number {
  if (raw.headersSent) return raw.statusCode
  // The library for WebSockets has taken the connection over, and has answered itself.
  return sent && headers.upgrade !== undefined ? SWITCHING_PROTOCOLS : CLIENT_LEFT
}
