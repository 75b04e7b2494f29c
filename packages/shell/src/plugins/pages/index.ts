import { join } from 'node:path'
import fastifyVite from '@fastify/vite'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createRenderer } from '../../render/renderer.ts'
import { createFallbackPages } from './fallback-pages.ts'
import type { Pages, PagesOptions } from './options.ts'
import { pageRoutes } from './routes.ts'

/** Serves the pages of `client/`: documents, page data and actions. */
export default fp<PagesOptions>(
  async function pages(app, options) {
    const { root, dist = join(root, 'dist'), dev = false, inlineScripts, browserData } = options
    const { renderer, state } = await createRenderer({ dev, dist, inlineScripts, browserData })

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
    if (dev) await (await import('./development.ts')).startVite(app, state)
    else await (app as FastifyInstance & { vite: { ready: () => Promise<void> } }).vite.ready()
    for (const { configure } of state.routes) await configure?.(app)
    await app.register(pageRoutes, { ...options, state, dev })
  },
  {
    name: 'pages',
    fastify: '5.x',
    dependencies: ['addresses', 'error-report', 'security', 'session', 'page-fetch']
  }
)
