import { join } from 'node:path'
import fp from 'fastify-plugin'
import { runAfterStart } from '@hull/common/optional-decorators.ts'
import { createRenderer } from '../../render/renderer.ts'
import { createSubmissionStore, Submissions } from '../../render/submissions.ts'
import { createFallbackPages } from './fallback-pages.ts'
import { listRoutes } from './list-routes.ts'
import { listSitemap } from './sitemap.ts'
import type { Pages, PagesOptions } from './options.ts'
import { loadBuild } from './production.ts'
import { pageRoutes } from './routes.ts'

/** Serves the pages of `client/`: documents, page data and actions. */
export default fp<PagesOptions>(
  async function pages(app, options) {
    const { root, dist = join(root, 'dist'), dev = false, inlineScripts, browserData } = options
    const { renderer, state } = await createRenderer({ dev, dist, inlineScripts, browserData })

    app.decorate('submissions', new Submissions(options.submissions ?? createSubmissionStore()))
    app.decorate('pages', {
      get site() {
        return state.site
      },
      async allowedMethods(pathname) {
        const match = state.site.match(pathname)
        if (match === undefined || match === 'malformed') return undefined
        const { module } = await state.site.loadPage(match.pattern.id)
        return module.action ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']
      },
      listRoutes: () => listRoutes(app, { root, dist, site: state.site }),
      sitemap: () => listSitemap(app, state.site),
      ...createFallbackPages({ ...options, state, dev })
    } satisfies Pages)

    app.decorate('pageCache', options.cache)

    if (dev) await (await import('./development.ts')).startVite(app, { root, renderer, state })
    else await loadBuild(app, { dist, renderer })
    for (const { configure } of state.routes) await configure?.(app)
    await app.register(pageRoutes, { ...options, state, dev })

    // The pages of a package are tested with it, and most processes never show them.
    const loadPages = () => Array.fromAsync(state.site.loadPages({ own: true }))
    runAfterStart(app, loadPages)
    if (app.hasDecorator('health')) app.health.addCheck('pages', loadPages)
  },
  {
    name: 'pages',
    fastify: '5.x',
    dependencies: ['reply-close', 'url-guard', 'error-report', 'security', 'session', 'page-fetch']
  }
)
