import { createProblem, INTERNAL_DETAIL, type Problem, PROBLEM_TYPE, STATUS_CODES } from '../http/problem.ts'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import type {} from '@hull/common/route-config.ts'
import { MethodNotAllowed, Overloaded } from '../errors.ts'
import { isHeader } from '../http/check-header.ts'
import { prefersJson } from '../http/negotiate.ts'
import { pathOf, withoutTrailingSlash, withPlainCharacters } from '@hull/common/http/request.ts'
import { redirectStatus, resolveRedirect } from '../http/redirect.ts'
import { isOutcome, isRedirect, Outcome, type OutcomeStatus, Redirect } from '@hull/common/outcomes.ts'
import { kUnhandled } from '../server/logger.ts'
import type { PageProblem } from '../routing/payload.ts'
import { isMarkedVisible, isOutage, isRefusal, type VisibleError } from '@hull/common/visible-error.ts'
import { codeOf, visibleStatus } from '@hull/common/http/visible-status.ts'

const kSending = Symbol('sending')

/**
 * `Sec-Fetch-Dest` of requests whose body no visitor would read: a missing picture need not run the `getData` of layouts.
 */
const UNSEEN = new Set<unknown>([
  'audio',
  'audioworklet',
  'font',
  'image',
  'manifest',
  'paintworklet',
  'script',
  'serviceworker',
  'sharedworker',
  'style',
  'track',
  'video',
  'worker',
  'xslt'
])

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the `onSend` hooks have begun. */
    [kSending]: boolean
  }
}

export interface FallbacksOptions {
  /** Prefix of routes that answer errors with problem details, whatever the client accepts. @default '/api' */
  apiPrefix?: string
  /**
   * Additional origins to which an action may redirect.
   * @default none
   */
  redirectOrigins?: readonly string[]
}

/**
 * Answers redirects, 401, 403, 404, refusals and failures with a page or with problem details (RFC 9457), depending on
 * what the client accepts. Register it before all routes.
 */
export default fp<FallbacksOptions>(
  async function fallbacks(app, { apiPrefix = '/api', redirectOrigins = [] }) {
    app.setErrorHandler(fallbackOnError)
    app.setNotFoundHandler(fallbackOnNotFound)
    app.decorateReply(kSending, false)
    app.decorateReply(kUnhandled, undefined)
    app.addHook('onSend', fallbackOnEmptyReply)
    app.addHook('onRoute', function wrapHandler(route) {
      route.handler = reportingLateErrors(route.handler)
    })

    /** Handles every thrown value. */
    async function fallbackOnError(
      error: unknown,
      request: FastifyRequest,
      reply: FastifyReply
    ): Promise<FastifyReply> {
      if (reply.raw.headersSent && !reply.raw.writableEnded && !reply.raw.destroyed) {
        // A route has begun the response by itself, and would never end it.
        request.reportError(error)
        reply.raw.destroy()
      }
      if (reply.raw.headersSent || reply.raw.destroyed) return reply.hijack()
      // Not of a stream that failed: its headers have been passed on to Node.
      const hookFailed = reply[kSending] && !reply.raw.hasHeader('content-type')
      removeReplacedHeaders(reply)
      let body = await answerOrReport(error, reply)
      // SDKs do not read answers, and Chromium treats a request with an unread body as unfinished.
      if (request.routeOptions.config.isTunnel) body = ''
      return hookFailed ? sendWithoutHooks(reply, body) : await reply.send(body)
    }

    /**
     * Answers requests without a route: 405 for another method of a page, a redirect for a trailing slash or for characters
     * that are needlessly encoded, otherwise 404.
     */
    async function fallbackOnNotFound(request: FastifyRequest): Promise<never> {
      const { url, method } = request
      const methods = await app.pages.allowedMethods(pathOf(url))
      if (methods && !methods.includes(method)) throw new MethodNotAllowed(method)
      const plain = withPlainCharacters(url)
      if (plain && (methods || app.hasRoute({ method, url: pathOf(plain) })))
        throw new Redirect(plain, { permanent: true })
      const trimmed = withoutTrailingSlash(url)
      if (trimmed && (await app.pages.allowedMethods(pathOf(trimmed)))) throw new Redirect(trimmed, { permanent: true })
      throw new Outcome(404)
    }

    /**
     * Adds a body if a route set 401, 403 or 404 without one. Begins again if Fastify called its own error handler, which
     * would show the error's message: for a later hook that fails for the answer to an error, and for routes that were
     * registered before this plugin.
     */
    function fallbackOnEmptyReply(
      request: FastifyRequest,
      reply: FastifyReply,
      payload: unknown,
      done: (error: Error | null, payload?: unknown) => void
    ): void {
      const hookFailed = reply[kSending]
      reply[kSending] = true
      if (reply[kUnhandled] !== undefined) return void answerUnhandled(reply[kUnhandled], reply, hookFailed)
      const { statusCode } = reply
      if (
        request.routeOptions.config.isTunnel ||
        (statusCode !== 401 && statusCode !== 403 && statusCode !== 404) ||
        (payload !== undefined && payload !== null && payload !== '')
      )
        return done(null, payload)
      answer(new Outcome(statusCode), reply).then((body) => {
        done(null, body)
      }, done)
    }

    /**
     * Answers an error that Fastify's own error handler received: of a hook, or of a route that was registered before this
     * plugin, such as those for probes.
     */
    async function answerUnhandled(error: unknown, reply: FastifyReply, hookFailed: boolean): Promise<void> {
      removeReplacedHeaders(reply)
      const body = await (hookFailed ? answerFailure(500, error, reply) : answerOrReport(error, reply))
      sendWithoutHooks(reply, reply.request.routeOptions.config.isTunnel ? '' : body)
    }

    /** As {@link answer}; reports the error if that fails. */
    async function answerOrReport(error: unknown, reply: FastifyReply): Promise<string> {
      try {
        return await answer(error, reply)
      } catch (failure) {
        return answerFailure(500, failure, reply)
      }
    }

    /** Sets status and headers, and returns the body. */
    async function answer(error: unknown, reply: FastifyReply): Promise<string> {
      if (isRedirect(error)) return answerRedirect(error, reply)
      if (isOutcome(error)) return answerOutcome(error, reply)
      const status = visibleStatus(error)
      if (status === 401 || status === 403 || status === 404)
        return answerOutcome(toOutcome(status, error as VisibleError), reply)
      if (status < 500 || isRefusal(error)) return answerRefusal(status, error as VisibleError, reply)
      return answerFailure(status, error, reply)
    }

    function answerRedirect(redirect: Redirect, reply: FastifyReply): string {
      const { request } = reply
      const { method, url, visit } = request
      const to = resolveRedirect(redirect, {
        method,
        url,
        changesNothing: visit?.ctx.changesCookies === false,
        formOrigins: [...redirectOrigins, visit?.ctx.origin]
      })
      reply.header('cache-control', 'private, no-store')
      if (!navigates(request) || !isForProgram(request)) {
        const isSame = to === withoutTrailingSlash(url) || to === withPlainCharacters(url)
        const status = redirectStatus(method, redirect.permanent, isSame)
        reply.code(status).header('location', to)
        return ''
      }
      // fetch would follow a Location before the browser's runtime sees it.
      reply.code(200).type('application/json; charset=utf-8')
      return JSON.stringify({ redirect: to, permanent: redirect.permanent, replace: redirect.replace })
    }

    async function answerOutcome(outcome: Outcome, reply: FastifyReply): Promise<string> {
      const { request } = reply
      const { statusCode, code, message } = outcome
      if (!isForProgram(request)) {
        asDocument(statusCode, reply)
        return app.pages.renderOutcome(request, reply, outcome)
      }
      const page = navigates(request) ? await app.pages.outcomeData(request, reply, outcome) : undefined
      return asProblem(createProblem(statusCode, { code, detail: message }), reply, page)
    }

    /** Answers a wrong request, or one that the server refuses for now, with the error's message. Reports nothing. */
    async function answerRefusal(status: number, error: VisibleError, reply: FastifyReply): Promise<string> {
      const { request } = reply
      const { message } = error
      const code = codeOf(error) ?? 'APP_BAD_REQUEST'
      if (error instanceof MethodNotAllowed) {
        const methods = request.isPageData ? undefined : await app.pages.allowedMethods(pathOf(request.url))
        reply.header('allow', methods?.join(', ') ?? 'GET, HEAD')
      }
      if (isForProgram(request)) return asProblem(createProblem(status, { code, detail: message }), reply)
      asDocument(status, reply)
      const title = STATUS_CODES[status] ?? 'Refused'
      // Guards and data of layouts are work that an overloaded server refuses.
      const isBare = error instanceof Overloaded
      return app.pages.renderRefusal(request, reply, { status, title, message, code, method: request.method }, isBare)
    }

    /** Answers a failure of the server: reports it once, and shows the visitor its digest, and the sentence of an outage. */
    async function answerFailure(status: number, error: unknown, reply: FastifyReply): Promise<string> {
      const { request } = reply
      const digest = request.reportError(error)
      const message = isOutage(error) ? error.message : undefined
      if (isForProgram(request)) {
        const problem = createProblem(status, {
          code: (isMarkedVisible(error) ? codeOf(error) : undefined) ?? 'APP_INTERNAL',
          detail: message ?? INTERNAL_DETAIL,
          digest
        })
        const page = navigates(request) ? await app.pages.errorData(request, reply, { digest, message }) : undefined
        return asProblem(problem, reply, page)
      }
      asDocument(status, reply)
      return app.pages.renderError(request, reply, { host: hostOf(request), digest, message, side: 'server' })
    }

    function isForProgram(request: FastifyRequest): boolean {
      return (
        request.isPageData ||
        request.url.startsWith(`${apiPrefix}/`) ||
        request.routeOptions.config.isApi === true ||
        UNSEEN.has(request.headers['sec-fetch-dest']) ||
        prefersJson(request.headers.accept)
      )
    }
  },
  { name: 'fallbacks', fastify: '5.x', dependencies: ['error-report', 'url-guard'] }
)

/**
 * Reports errors that a handler throws after the answer was sent, or after it has taken over the response: Fastify only
 * logs those of promises. Ends a response that nothing else would end.
 */
function reportingLateErrors(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function handleAndReport(request, reply) {
    try {
      const result: unknown = handler.call(this, request, reply)
      return result instanceof Promise ? result.catch(onError) : result
    } catch (error) {
      return onError(error)
    }

    function onError(error: unknown): void {
      const { raw } = reply
      const hasLeft = raw.destroyed && !raw.writableFinished
      if (!reply.sent || hasLeft) throw error
      request.reportError(error)
      if (!raw.writableEnded) raw.destroy()
    }
  }
}

/**
 * Headers about the answer that the error replaces. If its body was a stream, compression has added its coding, and
 * Fastify has passed them on to Node, before the stream failed.
 */
const REPLACED_HEADERS = [
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'etag',
  'last-modified',
  'location'
]

/** Removes headers of the answer that the error replaces, and those with which the next one would fail too. */
function removeReplacedHeaders(reply: FastifyReply) {
  for (const [name, value] of Object.entries(reply.getHeaders())) if (!isHeader(name, value)) reply.removeHeader(name)
  for (const name of REPLACED_HEADERS) {
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
}

/** Sends the answer to an error of an `onSend` hook, which would fail again: Fastify would then show its message. */
function sendWithoutHooks(reply: FastifyReply, body: string): FastifyReply {
  const { raw } = reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) raw.setHeader(name, value!)
  raw.end(body)
  return reply
}

function asDocument(status: number, reply: FastifyReply) {
  reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'private, no-store')
}

/** @param page content that a navigation shows in place */
function asProblem(problem: Problem, reply: FastifyReply, page?: PageProblem): string {
  reply.code(problem.status).type(PROBLEM_TYPE).header('cache-control', 'private, no-store')
  return JSON.stringify({ ...problem, ...page })
}

/** Whether the request is from the browser's runtime: page data, or a form. */
const navigates = (request: FastifyRequest) =>
  request.isPageData || (request.method === 'POST' && Boolean(request.visit))

function toOutcome(status: OutcomeStatus, error: VisibleError): Outcome {
  const outcome = new Outcome(status, error.message)
  const code = codeOf(error)
  return code === undefined ? outcome : Object.assign(outcome, { code })
}

/** Returns the requested host name, unless the Host header is invalid. */
function hostOf({ hostname }: FastifyRequest): string {
  return /^[\w.:[\]-]{1,255}$/.test(hostname) ? hostname : 'this site'
}
