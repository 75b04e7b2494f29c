import { join } from 'node:path'
import fastifyVite from '@fastify/vite'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { ErrorProps, RefusalProps } from '../../client/shell/contract.ts'
import type { PageCache } from '../../lib/render/page-cache.ts'
import { createRenderer } from '../../lib/render/renderer.ts'
import type { Site } from '../../lib/render/site.ts'
import type { Outcome, OutcomeStatus } from '../../lib/shared/outcomes.ts'
import type { HeadMeta, PageOutcome } from '../../lib/shared/payload.ts'
import { createFallbackPages } from './fallback-pages.ts'
import { pageRoutes } from './routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    pages: Pages
  }
}

/** What other plugins ask of the pages. */
export interface Pages {
  /** Pages and addresses as they are now. */
  readonly site: Site
  /** Methods the page at a path answers; undefined where there is no page. */
  allowedMethods: (pathname: string) => string[] | undefined
  /** An outcome as the browser is told it. */
  outcomeOf: (request: FastifyRequest, outcome: Outcome) => PageOutcome
  /** Title and tags of a fallback. */
  metaOf: (status: OutcomeStatus) => HeadMeta
  /**
   * The document for a 401, 403 or 404, in the application's frame.
   * @throws what the fallback itself throws
   */
  renderOutcome: (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) => Promise<string>
  /** The document for any other refusal of a request. */
  renderRefusal: (request: FastifyRequest, reply: FastifyReply, refusal: RefusalProps) => Promise<string>
  /** The error page. Needs no script; where even the frame fails, no React either. Never throws. */
  renderError: (request: FastifyRequest, reply: FastifyReply, error: ErrorProps) => Promise<string>
}

export interface PagesOptions {
  /** The project's folder. */
  root: string
  /** The folder a build wrote. @default `dist` below the root */
  dist?: string
  /** Serve from the sources through Vite, with hot reload. @default false */
  dev?: boolean
  /** Names the build in every payload. */
  buildId: string
  /** Milliseconds until a page that is not done is ended. */
  renderTimeout: number
  /** Path of the sign-in page, offered with a 401. */
  signInPath?: string
  /** Origin visitors use, when it is not the request's. */
  baseUrl?: string
  cache: PageCache
}

/** Serves the pages of `client/`: documents, page data and actions. */
export default fp<PagesOptions>(
  async function pages(app, options) {
    const { root, dist = join(root, 'dist'), dev = false } = options
    const { renderer, state } = await createRenderer({ dev, dist })

    app.decorate('pages', {
      get site() {
        return state.site
      },
      allowedMethods(pathname) {
        const match = state.site.match(pathname)
        if (match === undefined || match === 'malformed') return undefined
        return match.page.module.action ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']
      },
      ...createFallbackPages({ ...options, state, dev })
    } satisfies Pages)

    await app.register(fastifyVite, {
      root,
      dev,
      renderer: renderer as unknown as NonNullable<Parameters<typeof fastifyVite>[1]>['renderer'],
      distDir: join(dist, 'client'),
      // The assets plugin serves what the build made; @fastify/vite would serve its raw templates too.
      fastifyStaticOptions: { serve: false }
    } as Parameters<typeof fastifyVite>[1])
    await (app as FastifyInstance & { vite: { ready: () => Promise<void> } }).vite.ready()
    await app.register(pageRoutes, { ...options, state, dev })
  },
  { name: 'pages', fastify: '5.x', dependencies: ['addresses', 'error-report', 'security', 'session', 'page-fetch'] }
)
