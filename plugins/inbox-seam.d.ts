import type { Inbox } from '../lib/inbox/inbox.ts'
declare module 'fastify' {
  interface FastifyInstance {
    inbox: Inbox | null
  }
}
