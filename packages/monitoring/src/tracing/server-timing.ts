import type { FastifyReply } from 'fastify'
import type { RequestTrace } from './request-trace.ts'

/** Passes the trace to the browser in `Server-Timing`, after the page's own entries. */
export function addServerTiming(reply: FastifyReply, trace: RequestTrace): void {
  const entries = trace.serverTiming()
  if (entries === '') return
  const given = reply.getHeader('server-timing')
  reply.header('server-timing', given === undefined ? entries : `${String(given)}, ${entries}`)
}
