import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Broadcast } from '@hull/common/broadcast.ts'
import { createRateLimiter } from '@hull/common/http/rate-limiter.ts'
import { InboxTokenInvalid, InboxTokenMissing, InboxTokenTooMany } from '../errors.ts'
import type { FoundToken, TokenScope } from '../queries/people-types.ts'
import type { Inbox } from '../store/inbox.ts'
import type { Person } from './access.ts'
import { isTouchDue } from './times.ts'
import { createToken, hashToken } from './tokens.ts'

/** Makes tokens recognisable for people, and for programs that search repositories for secrets. */
const PREFIX = 'hull_'

/** Requests per minute with one token. A guess: an assistant that reads quickly sends one a second. */
const REQUESTS_PER_MINUTE = 300

export interface ApiTokens {
  /** Creates a token. @returns its text */
  create: (by: Person, token: { name: string; scope: TokenScope }) => Promise<string>
  /**
   * Returns the token of a request, and sets the headers of a refusal.
   * @param requests number of requests that it counts as @default 1
   * @throws InboxTokenMissing, InboxTokenInvalid, InboxTokenTooMany
   */
  authenticate: (request: FastifyRequest, reply: FastifyReply, requests?: number) => Promise<FoundToken>
}

export interface ApiTokensOptions {
  inbox: Pick<Inbox, 'queries' | 'changes'>
  /** Counts the requests with a token at all replicas together. @default one replica */
  broadcast?: Broadcast
  /** Called with errors of background work. */
  onError: (error: unknown) => void
}

/** Creates and checks the tokens of programs. */
export function createApiTokens({ inbox, broadcast, onError }: ApiTokensOptions): ApiTokens {
  const takeRequest = createRateLimiter({
    perMinute: REQUESTS_PER_MINUTE,
    replicas: broadcast && { broadcast, name: 'inbox-api' }
  })

  return {
    async create({ person }, { name, scope }) {
      const token = PREFIX + createToken()
      await inbox.changes.createToken({ hash: hashToken(token), name, scope, person, at: Date.now() })
      return token
    },
    async authenticate({ headers: { authorization } }, reply, requests = 1) {
      const [, text] = /^Bearer (hull_[\w-]{43})$/i.exec(authorization ?? '') ?? []
      const found = text === undefined ? undefined : await inbox.queries.findToken({ hash: hashToken(text) })
      if (!found) {
        reply.header('www-authenticate', 'Bearer')
        throw authorization ? new InboxTokenInvalid() : new InboxTokenMissing()
      }
      for (let taken = 0; taken < Math.max(1, requests); taken++) {
        const wait = takeRequest(String(found.id))
        if (wait === 0) continue
        reply.header('retry-after', String(Math.ceil(wait / 1_000)))
        throw new InboxTokenTooMany()
      }
      const at = Date.now()
      if (isTouchDue(found.lastUsed ?? 0, at)) inbox.changes.touchToken({ id: found.id, at }).catch(onError)
      return found
    }
  }
}
