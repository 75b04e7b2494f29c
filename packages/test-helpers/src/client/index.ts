import type { FastifyReply } from 'fastify'

/** Resolves when the headers of a streaming page are sent: from then on a failure cannot change the status. */
export async function headersSent({ raw }: FastifyReply): Promise<void> {
  while (!raw.headersSent && !raw.destroyed) await new Promise((resolve) => setTimeout(resolve, 5))
}
