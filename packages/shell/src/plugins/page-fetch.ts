import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { CHANNELS } from '@hull/common/channels.ts'
import { publishWork } from '../server/publish.ts'
import { openExternalFetch } from '../fetch/external-fetch.ts'
import { createPageFetch } from '../fetch/page-fetch.ts'
import { createRetry, type AttemptReport } from '../fetch/retry.ts'
import { originOf } from '@hull/common/http/request.ts'
import type { FetchTools } from '../render/page-context.ts'
import { refusePrivate, type SharedPage } from '../render/shared-page.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates ctx.fetch and ctx.retry for one request. */
    fetchTools: FetchTools
  }
}

export interface PageFetchOptions {
  /** Milliseconds for all attempts of one `ctx.fetch` together. */
  timeout: number
  /** Origin of the application. @default the origin of each request */
  baseUrl?: string
}

/**
 * Provides `ctx.fetch` and `ctx.retry`. Own routes are answered in process; other requests share one connection pool.
 */
export default fp<PageFetchOptions>(
  async function pageFetch(app: FastifyInstance, { timeout, baseUrl }) {
    const externalFetch = openExternalFetch()
    app.addHook('onClose', () => externalFetch.destroy())

    const attempts = app.metrics.counter({
      name: 'page_fetch_attempts_total',
      help: 'Attempts of ctx.fetch and ctx.retry, by outcome.',
      labelNames: ['ending']
    })
    const onAttempt = ({ error, delay }: AttemptReport) => {
      attempts.inc({ ending: error === undefined ? 'answered' : delay === undefined ? 'failed' : 'retried' })
    }

    app.decorate('fetchTools', function fetchTools(request: FastifyRequest, signal: AbortSignal, shared?: SharedPage) {
      const policy = { timeout, signal, onAttempt }
      const about = { server: request.server, request: shared ? undefined : request }
      return {
        fetch: createPageFetch({
          ...policy,
          wrapAttempt: (attempt, run) => publishWork(CHANNELS.fetch, { ...about, ...attempt }, run),
          onCredentials: shared && (() => refuseCredentials(shared)),
          externalFetch,
          origin: originOf(request, baseUrl),
          inject: (options) => app.inject(options),
          visitor: shared ? { headers: shared.varied } : { headers: request.headers, address: request.ip }
        }),
        retry: createRetry({
          ...policy,
          wrapAttempt: (attempt, run) => publishWork(CHANNELS.retry, { ...about, ...attempt }, run)
        })
      }
    })
  },
  { name: 'page-fetch', fastify: '5.x', dependencies: ['health'] }
)

function refuseCredentials({ page }: SharedPage): never {
  throw refusePrivate(page, 'the credentials of a visitor in ctx.fetch')
}
