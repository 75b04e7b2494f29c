import type { FastifyReply } from 'fastify'

/** Adds names of request headers to `Vary`, and keeps those that a hook has set, as @fastify/cors does. */
export function addVary(reply: FastifyReply, ...names: string[]): void {
  const known = [reply.getHeader('vary') ?? []].flat()
  reply.header('vary', [...known, ...names].join(', '))
}
