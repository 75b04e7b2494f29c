import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { Deadline } from '../../lib/render/deadline.ts'
import { guardPage, isGuarded } from '../../lib/render/load-page.ts'
import { PageContext } from '../../lib/render/page-context.ts'
import { originOf } from '../../lib/http/origin.ts'
import { pathOf, withoutTrailingSlash } from '../../lib/http/path.ts'
import { BadUrl, CrossSitePost, FormUnsupported, MethodNotAllowed } from '../../lib/errors.ts'
import { isCrossSite } from '../../lib/http/cross-site.ts'
import { Outcome, Redirect } from '../../lib/common/outcomes.ts'
import type { RoutePattern } from '../../lib/common/route-pattern.ts'
import type { PagesContext } from './options.ts'
import { createPageServer } from './serve.ts'
import { keepCookiesPrivate } from './stored.ts'
import { toSharedPage, type PageVisit } from './visit.ts'

/** One route a page, all with the same hooks and handler: our own matcher decides, the router only leads here. */
export async function pageRoutes(app: FastifyInstance, options: PagesContext): Promise<void> {
  const { state, dev, renderTimeout, baseUrl } = options
  const { servePage } = createPageServer(options)

  app.decorateRequest('visit', null)
  app.removeAllContentTypeParsers()
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, function keepBody(_request, body, done) {
      done(null, body)
    })
  }
  app.addContentTypeParser('*', function refuseBody(_request, _payload, done) {
    done(new FormUnsupported())
  })

  function resolvePage(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) {
    const match = state.site.match(pathOf(request.url))
    if (match === 'malformed') return done(new BadUrl())
    if (match === undefined) return done(missing(request.url))
    const { page, params } = match
    if (request.method === 'POST') {
      if (!page.module.action) return done(new MethodNotAllowed('POST'))
      if (isCrossSite(request.headers, originOf(request, baseUrl))) return done(new CrossSitePost())
    }
    const deadline = new Deadline(renderTimeout, reply.raw)
    const shared = toSharedPage(page, request)
    const ctx = new PageContext({ request, reply, params, deadline, shared, baseUrl })
    request.visit = { page, deadline, shared, ctx }
    done()
  }

  /** Only guards are waited for: a page without them goes on in the same turn. */
  function guardVisit(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
    const visit = request.visit!
    return isGuarded(visit.page) ? runGuards(visit) : done()
  }

  async function runGuards({ page, ctx, deadline }: PageVisit): Promise<void> {
    try {
      await guardPage(page, ctx, deadline)
    } catch (error) {
      deadline.end()
      throw error
    }
  }

  const urls = new Set(state.site.patterns.flatMap(toRouterUrls))
  // A page added while developing is found without a restart.
  if (dev) urls.add('/*')
  for (const url of urls) {
    const route = { url, config: { isPage: true }, onRequest: resolvePage, preHandler: guardVisit, handler: servePage }
    app.route({ ...route, method: ['GET', 'HEAD'], onSend: keepCookiesPrivate })
    app.route({ ...route, method: 'POST' })
  }
}

/** A path with one slash too many leads to the one without; anything else that the router let through is no page. */
function missing(url: string): Error {
  const trimmed = withoutTrailingSlash(url)
  return trimmed === undefined ? new Outcome(404) : new Redirect(trimmed, { permanent: true })
}

/** A page's address in the router's words: an optional catch-all has two. */
function toRouterUrls({ segments }: RoutePattern): string[] {
  const parts = segments.map((segment, at) =>
    segment.kind === 'static' ? segment.value : segment.kind === 'param' ? `:p${at}` : '*'
  )
  const url = '/' + parts.join('/')
  const last = segments.at(-1)
  return last?.kind === 'rest' && last.optional ? [url, '/' + parts.slice(0, -1).join('/')] : [url]
}
