import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Sends a value as JSON, for GET with an ETag. */
export function sendJson({ method, headers }: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply {
  const text = JSON.stringify(value)
  reply.type('application/json; charset=utf-8')
  if (method !== 'GET') return reply.send(text)
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`
  // A shared cache must not keep it; the client's own asks each time.
  reply.header('etag', tag).header('cache-control', 'private, no-cache')
  const known = headers['if-none-match']?.split(',').map((entry) => entry.trim().replace(/^W\//, ''))
  return known?.includes(tag) ? reply.code(304).send() : reply.send(text)
}
