import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify'
import type { ContextModule } from '../../client/contracts/context.ts'
import type { PageModule } from '../../client/contracts/page.ts'
import { Deadline } from '../../render/deadline.ts'
import { guardPage, isGuarded } from '../../render/load-page.ts'
import { PageContext } from '../../render/page-context.ts'
import { isCrossSite, originOf, pathOf, withoutTrailingSlash } from '@hull/common/http/request.ts'
import {
  BadUrl,
  CrossSitePost,
  FormUnsupported,
  MethodNotAllowed,
  PageInvalid,
  PageRouteTaken,
  RouteHooksStale,
  UploadEncoded
} from '../../errors.ts'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { Outcome, Redirect } from '@hull/common/outcomes.ts'
import { ROUTE_HOOKS } from '../../routing/route-hooks.ts'
import type { RoutePattern } from '../../routing/route-pattern.ts'
import { toFlatParams } from '../../routing/route-matcher.ts'
import { addressesOf } from '../../routing/route-tree.ts'
import { openRouteContext } from '../../render/route-context.ts'
import type { PagesContext } from './options.ts'
import { createPageServer } from './serve.ts'
import { keepCookiesPrivate } from './stored.ts'
import { type PageVisit, toSharedPage } from './visit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** File of the route's page. */
    pageId?: string | undefined
    /** Pattern of the route's page, as its file spells it: `/items/[id]`. */
    pagePath?: string | undefined
    /** Whether the route streams uploads. */
    uploads?: boolean
  }
}

/**
 * Adds a route for each page, all with the same hooks and handler. The shell's own matcher selects the page; Fastify's
 * router only calls the handler.
 */
export async function pageRoutes(app: FastifyInstance, options: PagesContext): Promise<void> {
  const { state, dev, renderTimeout, baseUrl } = options
  const { servePage } = createPageServer(options)
  /** Files of the pages with their own hooks. */
  const hooked = new Set<string>()

  app.decorateRequest('visit', null)
  // Until its next request, a connection refers to the last one, through the async context of its timer. The page's data
  // would outlive many collections of the young generation. See docs/decisions/064.
  app.onReplyClose(function releaseVisit({ request, reply }) {
    // Otherwise the page may still be at work: the client has left.
    if (reply.raw.writableFinished) request.visit = null
  })
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
    if (dev && state.loadError !== undefined) return done(state.loadError as Error)
    const match = state.site.match(pathOf(request.url))
    if (match === 'malformed') return done(new BadUrl())
    if (match === undefined) return done(missing(request.url))
    const { pattern, params } = match
    const page = state.site.pageOf(pattern.id)
    if (!page) return void loadPage(pattern, reply).then(() => resolvePage(request, reply, done), done)
    if (page.problem) return done(new PageInvalid(...page.problem))
    const { pageId, uploads = false } = request.routeOptions.config
    const isUpload = request.method === 'POST' && page.module.uploads !== undefined
    const isHooked = hooked.has(page.pattern.id)
    if (dev && hasHooks(page.module) !== isHooked) return done(new RouteHooksStale(page.pattern.id))
    if (pageId !== page.pattern.id && (hooked.has(pageId!) || isHooked))
      return done(dev ? new RouteHooksStale(page.pattern.id) : new Outcome(404))
    if (uploads !== isUpload) return done(new RouteHooksStale(page.pattern.id))
    // The router's parameter names are not those of the file name.
    if (page.isDynamic) request.params = toFlatParams(params)
    if (request.method === 'POST') {
      if (!page.module.action) return done(new MethodNotAllowed('POST'))
      if (isCrossSite(request.headers, originOf(request, baseUrl))) return done(new CrossSitePost())
    }
    const deadline = new Deadline(renderTimeout, reply.raw)
    const shared = toSharedPage(page, request)
    const ctx = new PageContext({ request, reply, file: page.file, params, deadline, shared, baseUrl })
    request.visit = { page, deadline, shared, ctx }
    done()
  }

  /** Loads the module of a page with its first request. */
  async function loadPage({ id }: RoutePattern, reply: FastifyReply): Promise<void> {
    const deadline = new Deadline(renderTimeout, reply.raw)
    try {
      await deadline.race(state.site.loadPage(id))
    } finally {
      deadline.stop()
    }
  }

  /** Waits only for guards: a page without them continues in the same turn. */
  function guardVisit(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
    const visit = request.visit!
    // The time that the visitor needs to send a form is not the page's.
    if (request.method === 'POST') visit.deadline.restart()
    // A stored page creates its own context when it is rendered; development stores none.
    const context = visit.shared && !dev ? undefined : state.site.entry.context
    return context || isGuarded(visit.page) ? runGuards(visit, context) : done()
  }

  async function runGuards({ page, ctx, deadline }: PageVisit, context: ContextModule | undefined): Promise<void> {
    try {
      await openRouteContext(context, ctx, deadline)
      await guardPage(page, ctx, deadline)
    } catch (error) {
      deadline.stop()
      throw error
    }
  }

  const urls = new Set<string>()
  const reactRoutes = new Map(state.routes.map((route) => [route.id, route]))
  for (const pattern of state.site.patterns) {
    const hooks = toHooks(reactRoutes.get(pattern.id)!)
    if (Object.keys(hooks).length > 0) hooked.add(pattern.id)
    const uploads = state.site.takesUploads(pattern.id)
    for (const url of addressesOf(pattern)) {
      try {
        await addPage(url, hooks, { pageId: pattern.id, pagePath: pattern.path, uploads })
      } catch (error) {
        if (!isErrorCode(error, 'FST_ERR_DUPLICATED_ROUTE')) throw error
        throw new PageRouteTaken(state.site.fileOf(pattern.id), url, { cause: error })
      }
    }
  }
  // In development, new pages work without a restart.
  if (dev && !urls.has('/*')) await addPage('/*', {})

  async function addPage(
    url: string,
    { onRequest = [], preHandler = [], onSend = [], ...hooks }: RouteHooks,
    { pageId, pagePath, uploads = false }: { pageId?: string; pagePath?: string; uploads?: boolean } = {}
  ) {
    const route = {
      ...hooks,
      url,
      config: { isPage: true, pageId, pagePath },
      onRequest: [resolvePage, ...onRequest],
      preHandler: [guardVisit, ...preHandler],
      handler: servePage
    }
    urls.add(url)
    app.route({ ...route, method: ['GET', 'HEAD'], onSend: [...onSend, keepCookiesPrivate] } as RouteOptions)
    const post = { ...route, method: 'POST', onSend, config: { ...route.config, uploads } } as RouteOptions
    if (uploads) await app.register((scope) => addUploadRoute(scope, post))
    else app.route(post)
  }
}

/** Adds a route whose multipart bodies are parsed as they arrive. */
async function addUploadRoute(scope: FastifyInstance, route: RouteOptions): Promise<void> {
  const type = 'multipart/form-data'
  scope.removeContentTypeParser(type)
  if (!scope.hasRequestDecorator('isMultipart')) {
    await scope.register((await import('@fastify/multipart')).default)
    scope.removeContentTypeParser(type)
  }
  // The parser of the plugin would also mark the body as multipart for the hook of `attachFieldsToBody`, with which an
  // application may have registered the plugin. The hook would read all files into memory.
  scope.addContentTypeParser(type, function leaveBody(request, _payload, done) {
    request.visit!.isStreamed = true
    done(null)
  })
  scope.route({ ...route, onRequest: [refuseEncodedForm, ...[route.onRequest ?? []].flat()] })
}

/** Refuses a form with a content coding: the multipart parser reads the request itself, not what is decoded from it. */
function refuseEncodedForm({ headers }: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = headers
  done(coding !== 'identity' && /^\s*multipart\//i.test(type) ? new UploadEncoded() : undefined)
}

/** A page's route hooks under the names of `@fastify/react`, each as a list. */
type RouteHooks = Partial<Record<(typeof ROUTE_HOOKS)[number], unknown[]>>

const toHooks = (source: Partial<Record<string, unknown>>): RouteHooks =>
  Object.fromEntries(ROUTE_HOOKS.flatMap((name) => (source[name] ? [[name, [source[name]].flat()]] : [])))

const hasHooks = (module: PageModule) => ROUTE_HOOKS.some((name) => module[name])

/** Redirects a path with a trailing slash to the one without. Any other path is not a page. */
function missing(url: string): Error {
  const trimmed = withoutTrailingSlash(url)
  return trimmed === undefined ? new Outcome(404) : new Redirect(trimmed, { permanent: true })
}
