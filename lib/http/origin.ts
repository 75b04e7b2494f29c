import type { FastifyRequest } from 'fastify'

/** The application's origin: the one that is configured, else the one that was asked, which is the visitor's to choose. */
export function originOf({ protocol, host }: FastifyRequest, baseUrl?: string): string {
  return baseUrl ?? `${protocol}://${host}`
}
