import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { ActionCtx } from '../client/contracts/context.ts'
import type { Upload } from '../client/contracts/form.ts'
import type { OnceRunner } from '../client/forms/once.tsx'
import type { SchemaRunner, Schemas } from '../client/forms/with-schema.ts'
import type { Session } from '../plugins/session.ts'
import type { PageMessage } from '@hull/common/channels.ts'
import { withoutPort } from '@hull/common/http/network.ts'
import { originOf, pathOf } from '@hull/common/http/request.ts'
import type { PageFetch, Retry } from '../fetch/page-fetch.ts'
import type { HeadMeta } from '../routing/payload.ts'
import type { RouteParams } from '../routing/route-matcher.ts'
import type { Deadline } from './deadline.ts'
import { runWithSchema } from './run-with-schema.ts'
import { checkHeader } from '../http/check-header.ts'
import { createSharedHeaders, refusePrivate, type SharedPage, type VariedHeaders } from './shared-page.ts'
import { Redirect } from '@hull/common/outcomes.ts'

/**
 * Creates a page's `fetch` and `retry` on first use.
 * @param shared set if the page is rendered for all visitors: nothing from this visitor is sent
 */
export type FetchTools = (
  request: FastifyRequest,
  signal: AbortSignal,
  shared?: SharedPage
) => { fetch: PageFetch; retry: Retry }

/** Receives a page's status and headers: a Fastify reply, or a substitute for a stored document. */
export type PageReply = Partial<Pick<FastifyReply, 'setCookie' | 'hasHeader'>> & {
  code: (status: number) => unknown
  header: (name: string, value: string) => unknown
}

export interface PageContextOptions {
  request: FastifyRequest
  /** File of the page, for messages. @default the layouts of a fallback */
  file?: string
  reply: PageReply
  params: RouteParams
  deadline: Deadline
  /** Set if the page is rendered once for all visitors, so that reading a visitor's own values is an error. */
  shared?: SharedPage
  /** @default the request's log */
  log?: FastifyBaseLogger
  /** Origin that visitors use, if it is not the request's. */
  baseUrl: string | undefined
}

/** A change of the answer that an action made: a header, a cookie, or the session. */
export type Effect =
  | ['setHeader', ...Parameters<PageContext['setHeader']>]
  | ['setCookie', ...Parameters<PageContext['setCookie']>]
  | ['set', ...Parameters<Session['set']>]
  | ['setLifetime', ...Parameters<Session['setLifetime']>]
  | ['clear']

/** The `ctx` of a page's functions. Costly members are created on first use. */
export class PageContext implements ActionCtx, SchemaRunner, OnceRunner {
  readonly params: RouteParams
  readonly pathname: string
  form!: FormData
  uploads: readonly Upload[] = []
  /** Result of `getData`, for `getMeta` and `onEnter`. */
  data: unknown
  /** Result of `getMeta`, for `onEnter`. */
  head: HeadMeta = {}
  state: object | undefined
  /** Set by `onEnter`. */
  clientOnly = false
  serverOnly = false
  readonly firstRender = true
  /** Whether the action itself has begun. False while a schema or a form token is checked before it. */
  hasActed = true
  /** Set to record changes of the answer. */
  effects: Effect[] | undefined
  readonly #options: PageContextOptions
  #search: URLSearchParams | undefined
  #tools: ReturnType<FetchTools> | undefined
  #headers: VariedHeaders | undefined
  #reply: FastifyReply | undefined
  #setsCookie = false

  constructor(options: PageContextOptions) {
    this.#options = options
    this.params = options.params
    this.pathname = pathOf(options.request.url)
  }

  get search(): URLSearchParams {
    const { request, shared } = this.#options
    return (this.#search ??= new URLSearchParams(shared?.search ?? request.url.slice(this.pathname.length)))
  }

  get origin(): string {
    return originOf(this.#options.request, this.#options.baseUrl)
  }

  get address(): string {
    return withoutPort(this.#private('ctx.address').ip)
  }

  get headers(): Readonly<Record<string, string | string[] | undefined>> {
    const { request, shared } = this.#options
    return shared ? (this.#headers ??= createSharedHeaders(shared)) : request.headers
  }

  get cookies(): Record<string, string | undefined> {
    // Null if the request is refused before its cookies are parsed.
    return (this.#private('ctx.cookies').cookies as Record<string, string | undefined> | null) ?? {}
  }

  get session(): Session {
    const { session } = this.#private('ctx.session')
    const { effects } = this
    if (!effects) return session
    return {
      get: session.get,
      set: (...args) => {
        session.set(...args)
        effects.push(['set', ...args])
      },
      setLifetime: (...args) => {
        session.setLifetime(...args)
        effects.push(['setLifetime', ...args])
      },
      clear: () => {
        session.clear()
        effects.push(['clear'])
      },
      get changed() {
        return session.changed
      }
    }
  }

  /** Repeats what an earlier request with the same form token did to its answer. */
  repeat(effects: Effect[]): void {
    for (const effect of effects) {
      if (effect[0] === 'setHeader') this.setHeader(effect[1], effect[2])
      else if (effect[0] === 'setCookie') this.setCookie(effect[1], effect[2], effect[3])
      else if (effect[0] === 'set') this.session.set(effect[1], effect[2])
      else if (effect[0] === 'setLifetime') this.session.setLifetime(effect[1])
      else this.session.clear()
    }
  }

  /** Whether the answer sets a cookie, or changes the session that is stored in one. */
  get changesCookies(): boolean {
    const { request, reply } = this.#options
    return this.#setsCookie || request.session.changed || reply.hasHeader?.('set-cookie') === true
  }

  get req(): FastifyRequest {
    return this.#private('ctx.req')
  }

  get reply(): FastifyReply {
    this.#private('ctx.reply')
    return (this.#reply ??= toPageReply(this.#options.reply as FastifyReply, () => (this.#setsCookie = true)))
  }

  get server(): FastifyInstance {
    return this.#options.request.server
  }

  get fetch(): PageFetch {
    return this.#fetchTools().fetch
  }

  get retry(): Retry {
    return this.#fetchTools().retry
  }

  get log(): FastifyBaseLogger {
    return this.#options.log ?? this.#options.request.log
  }

  get signal(): AbortSignal {
    return this.#options.deadline.signal
  }

  setHeader = (name: string, value: string): void => {
    const { reply, shared } = this.#options
    if (shared && VISITOR_HEADERS.has(name.toLowerCase()))
      throw refusePrivate(shared.page, `the answer's header ${name}`)
    checkHeader(name, value)
    reply.header(name, value)
    this.effects?.push(['setHeader', name, value])
  }

  setCookie = (name: string, value: string, options?: CookieSerializeOptions): void => {
    const { server } = this.#private('ctx.setCookie')
    // @fastify/cookie checks a cookie only when it writes the headers, also those of the error.
    server.serializeCookie(name, value, { ...options, secure: true })
    this.#setsCookie = true
    this.#options.reply.setCookie!(name, value, options)
    this.effects?.push(['setCookie', name, value, options])
  }

  status = (code: number): void => {
    this.#options.reply.code(code)
  }

  formToken = (): string => {
    this.#private('ctx.formToken()')
    return randomUUID()
  }

  /** Runs an action that the page made with `once`. */
  once(run: () => unknown): Promise<unknown> {
    this.hasActed = false
    return this.server.submissions.run(this, this.#options.file ?? '', () => {
      this.hasActed = true
      return run()
    })
  }

  /** Runs a function that the page made with `withSchema`. */
  withSchema(schemas: Schemas, handler: (ctx: never) => unknown): Promise<unknown> {
    return runWithSchema(this, { file: this.#options.file ?? 'client/layouts', schemas, handler })
  }

  /** Returns the message about work for this page. Pages that are rendered for all visitors name no request. */
  toMessage(name: string): PageMessage {
    const { request, shared } = this.#options
    return { server: request.server, request: shared ? undefined : request, name }
  }

  #fetchTools() {
    const { request, shared } = this.#options
    return (this.#tools ??= request.server.fetchTools(request, this.signal, shared))
  }

  /** Returns the request, to read what belongs to the visitor. @throws CachePrivate on a cached page */
  #private(what: string): FastifyRequest {
    const { request, shared } = this.#options
    if (shared) throw refusePrivate(shared.page, what)
    return request
  }
}

/** Headers that a cached page cannot set. `Vary` is made from `cache.vary`. */
const VISITOR_HEADERS = new Set(['set-cookie', 'vary', 'www-authenticate'])

/** Functions of the reply that set a cookie. */
const COOKIE_SETTERS = new Set<string | symbol>(['setCookie', 'cookie', 'clearCookie'])

/** Statuses of permanent redirects. */
const PERMANENT = [301, 308]

/**
 * Wraps Fastify's reply for a page: `redirect` throws. A navigation reads redirects from the page's data, because fetch
 * would follow a `Location` itself.
 * @param onCookie called if the page sets a cookie: the header is written later, when the answer is sent
 */
function toPageReply(reply: FastifyReply, onCookie: () => void): FastifyReply {
  return new Proxy(reply, {
    get(target, key, receiver): unknown {
      if (COOKIE_SETTERS.has(key)) onCookie()
      return key === 'redirect' ? redirect : Reflect.get(target, key, receiver)
    }
  })
}

function redirect(to: string, status?: number): never {
  throw new Redirect(to, { permanent: status !== undefined && PERMANENT.includes(status), external: true })
}
