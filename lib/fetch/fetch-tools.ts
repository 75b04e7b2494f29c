import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createPageFetch, type FetchInfo } from './page-fetch.ts'
import { openAgent } from './outside.ts'
import { createRetry, type AttemptReport } from './retry.ts'

export interface FetchToolsOptions {
  /** Milliseconds that all attempts of one call have. */
  timeout: number
  /** The app's own origin, when it is not the request's. */
  baseUrl?: string
  /** Called after each attempt, for counting. */
  onAttempt?: (report: AttemptReport & Partial<FetchInfo>) => void
}

/** What makes ctx.fetch and ctx.retry for a request; `close` ends its connections. */
export function openFetchTools(app: FastifyInstance, { timeout, baseUrl, onAttempt }: FetchToolsOptions) {
  const dispatcher = openAgent()

  return {
    fetchTools(request: FastifyRequest, signal: AbortSignal) {
      const policy = { timeout, signal, onAttempt }
      return {
        fetch: createPageFetch({
          ...policy,
          dispatcher,
          origin: baseUrl ?? `${request.protocol}://${request.host}`,
          inject: (options) => app.inject(options),
          visitor: { headers: request.headers, address: request.ip }
        }),
        retry: createRetry(policy)
      }
    },
    close: () => dispatcher.close()
  }
}
