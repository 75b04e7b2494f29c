import type { ComponentType, ReactNode } from 'react'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { PageFetch, Retry } from '../fetch/page-fetch.ts'
import type { Session } from '../plugins/session.ts'

/** The parameters in a page's path: `'/items/[id]'` gives `{ id: string }`, a catch-all gives `string[]`. */
export type Params<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? SegmentParams<Head> & Params<Tail>
  : SegmentParams<Path>

type SegmentParams<Segment extends string> = Segment extends `[[...${infer Name}]]`
  ? { [K in Name]: string[] }
  : Segment extends `[...${infer Name}]` | `[${infer Name}+]`
    ? { [K in Name]: string[] }
    : Segment extends `[${infer Name}]`
      ? { [K in Name]: string }
      : unknown

/** What `guard`, `getData`, `getMeta` and `action` are given. @typeParam Path the page's address as its file name has it. */
export interface Ctx<Path extends string = string> {
  /** Decoded path parameters; a catch-all is an array of decoded segments. */
  params: Params<Path>
  /** The path asked for, still encoded, without query. */
  pathname: string
  /** The query. */
  search: URLSearchParams
  /** The origin visitors use: `BASE_URL`, else the request's. */
  origin: string
  /** The visitor's address, as far as `TRUST_PROXY` lets it be known. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  address: string
  /** Request headers, lower-case names. On a page with `cache`, APP_PAGE_CACHE_PRIVATE for one that `cache.vary` does not name. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Request cookies. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  cookies: Readonly<Record<string, string | undefined>>
  /** The visitor's signed session. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  session: Session
  /** The Fastify instance: everything plugins have decorated it with. */
  server: FastifyInstance
  /** fetch with the retry policy of page data; a path or the app's own origin is answered without a socket. */
  fetch: PageFetch
  /** The same retry policy for what is no fetch. */
  retry: Retry
  /** The request's logger. */
  log: FastifyBaseLogger
  /** Aborted when the visitor leaves or `RENDER_TIMEOUT` has passed. */
  signal: AbortSignal
  /** Sets a response header. Before a streaming page's shell is out only. */
  setHeader: (name: string, value: string) => void
  /** Sets a cookie; HttpOnly, SameSite=Lax, Path=/ and, behind TLS, Secure unless `options` says otherwise. */
  setCookie: (name: string, value: string, options?: CookieSerializeOptions) => void
  /** Sets the status of a page that has data, 200 to 599. @default 200 */
  status: (code: number) => void
  /** Fastify's request; its `params` have the names of the file's address. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  req: FastifyRequest
  /** Fastify's reply; its `redirect` ends the page as {@link redirect} does. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  reply: FastifyReply
  /** What `state` of `client/context.ts` made for this request; undefined without one. */
  state: any
}

/** What an `action` is given: the context and the posted form. */
export interface ActionCtx<Path extends string = string> extends Ctx<Path> {
  /** The posted fields; files are `File` objects. */
  form: FormData
}

export interface InvalidOptions {
  /** Status of the answer, from 400 to 499; any other is 500 `APP_PAGE_INVALID`. @default 422 */
  status?: number
}

/** Returned by {@link invalid}: the page is shown again with the errors. */
export interface Invalid<
  Errors extends Record<string, string> = Record<string, string>
> extends Readonly<InvalidOptions> {
  readonly kind: 'invalid'
  readonly errors: Partial<Errors>
}

/** What the form's page is shown with after its action refused the input. */
export interface FormState<Errors extends Record<string, string> = Record<string, string>> {
  /** Field name to sentence. */
  errors: Partial<Errors>
  /** What was typed, by field; fields that look like secrets are left out. */
  values: Record<string, string>
}

/** What a `getData` returned, once it has settled. */
export type DataOf<GetData> = GetData extends (...args: never[]) => infer R ? Awaited<R> : undefined
type ErrorsOf<Action> = Action extends (...args: never[]) => infer R
  ? Extract<Awaited<R>, Invalid> extends Invalid<infer E>
    ? E
    : Record<string, string>
  : never

/** Props of a page's component: `PageProps<typeof getData>`, or `PageProps<typeof getData, typeof action>`. */
export interface PageProps<GetData = undefined, Action = undefined> {
  /** What `getData` returned. */
  data: DataOf<GetData>
  /** Decoded path parameters. */
  params: Record<string, string | string[]>
  /** Errors and typed values after an action refused its input; otherwise undefined. */
  form?: FormState<ErrorsOf<Action>>
}

/** Props of a layout's component. */
export interface LayoutProps<GetData = undefined> {
  children: ReactNode
  /** What the layout's own `getData` returned. */
  data: DataOf<GetData>
}

/** What `getMeta` is given: the context and the page's data. */
export interface MetaCtx<GetData = undefined, Path extends string = string> extends Ctx<Path> {
  data: DataOf<GetData>
}

/** What `onEnter` is given, on the server for a document and in the browser for a navigation. */
export interface EnterCtx<GetData = undefined, Path extends string = string>
  extends Pick<Ctx<Path>, 'params' | 'pathname' | 'state'>, Partial<Omit<Ctx<Path>, 'params' | 'pathname' | 'state'>> {
  /** What the function returns is added to it. */
  data: DataOf<GetData>
  /** Title and tags; another object takes their place. */
  head: Meta
  /** True on the server. */
  firstRender: boolean
  /** Set it, and the component is rendered in the browser only. */
  clientOnly: boolean
  /** What `client/context.ts` exports. */
  [name: string]: any
}

/** `client/context.ts`: run once for each document on the server, and once in the browser before the first page. */
export interface ContextModule {
  default?: (ctx: any) => unknown
  /** Makes the state of one visitor: in the document's payload, and in the browser for as long as the document. */
  state?: () => object
  /** Everything else is in the context of each page, by its name. */
  [name: string]: unknown
}

/** Attributes of an element: true is an attribute without value; false, null and undefined leave it out. */
type Attributes = Record<string, string | number | boolean | null | undefined>
type RootAttributes = Record<string, Attributes[string] | string[] | Record<string, boolean>>

/** What `getMeta` returns. Everything is text; escaping is ours. */
export interface Meta {
  title?: string
  description?: string
  /** Absolute URL, or a path of this application. */
  canonical?: string
  /** Open Graph properties without the prefix: `{ image: 'https://…' }` is `og:image`. */
  openGraph?: Record<string, string>
  /** For example `noindex`. */
  robots?: string
  /** Text around the title: `%s - Shop`, or a function. */
  titleTemplate?: string | ((title: string) => string)
  /** Further `<meta>` elements, by their attributes: `{ name: 'author', content: 'Ada' }`. */
  meta?: Attributes[]
  /** Further `<link>` elements, by their attributes. */
  link?: Attributes[]
  /** Attributes of `<html>` while the page is shown. */
  htmlAttrs?: RootAttributes
  /** Attributes of `<body>` while the page is shown. */
  bodyAttrs?: RootAttributes
}

/** Hooks of a page's own route, as Fastify has them: for its document, its data and its action alike. */
type RouteHooks = Pick<
  RouteOptions,
  | 'onRequest'
  | 'preParsing'
  | 'preValidation'
  | 'preHandler'
  | 'preSerialization'
  | 'onError'
  | 'onSend'
  | 'onResponse'
  | 'onTimeout'
  | 'onRequestAbort'
>

export interface CachePolicy {
  /** Seconds for which the stored document is served as it is. */
  maxAge: number
  /** Seconds past `maxAge` for which it is still served while one render replaces it. @default 0 */
  staleWhileRevalidate?: number
  /**
   * Names of request headers that the page may read: it is rendered once for each of their values, at most four names.
   * No header that identifies a visitor, such as `cookie`. @default []
   */
  vary?: readonly string[]
}

/** Everything a file in `client/pages/` may export. A build error names any other export. */
export interface PageModule extends RouteHooks {
  default: ComponentType<any>
  guard?: (ctx: Ctx<any>) => unknown
  getData?: (ctx: Ctx<any>) => unknown
  getMeta?: (ctx: MetaCtx<any, any>) => Meta | Promise<Meta>
  /** Runs before the page is shown: on the server for a document, in the browser for a navigation. */
  onEnter?: (ctx: EnterCtx<any, any>) => unknown
  /** Called once when the server starts, with the Fastify instance: for routes and hooks of the page's own. */
  configure?: (server: FastifyInstance) => unknown
  /** The address in place of the file's: `/users/:id`, `/files/*`. */
  path?: string
  action?: (ctx: ActionCtx<any>) => unknown
  /** Name of a file in `client/layouts/`, or null for none. @default 'default' */
  layout?: string | null
  /** Send the shell at once and the rest as it is ready. @default false */
  streaming?: boolean
  /** No script at all in this page. @default false */
  serverOnly?: boolean
  /** Data from the server, component in the browser only. @default false */
  clientOnly?: boolean
  /** The data depends on the path alone: prefetched data stays fresh for 300 s. @default false */
  staticData?: boolean
  /** Render once, keep in memory, serve to all. @default undefined: never */
  cache?: CachePolicy
}

/** Everything a file in `client/layouts/` may export. */
export interface LayoutModule {
  default: ComponentType<any>
  guard?: (ctx: Ctx<any>) => unknown
  getData?: (ctx: Ctx<any>) => unknown
  /** Name of the layout around this one. @default undefined: none */
  layout?: string
  /**
   * Path such as `/team`: this layout surrounds the 401, 403 and 404 of that path and of everything below it, also of
   * addresses that have no page. The longest path wins. A layout that throws an outcome leaves them to `default`.
   * @default undefined: the `default` layout surrounds them
   */
  fallbackFor?: string
}

/** What the components in `client/fallbacks/` for 401, 403 and 404 are given. */
export interface FallbackProps {
  status: 401 | 403 | 404
  /** A sentence for the visitor. */
  message: string
  /** The path asked for, still encoded. */
  pathname: string
  /** Where to sign in and come back from; with 401, where `SIGN_IN_PATH` is set or `unauthorized()` named a page. */
  signInHref?: string
}

/** What `client/fallbacks/error.tsx` is given. */
export interface ErrorProps {
  /** The host name the visitor asked. */
  host: string
  /** Finds the error in the server's log and in the inbox; of an error in the browser, in the inbox alone. */
  digest?: string
  /** Which side failed, where it is known. */
  side?: 'server' | 'client'
  /** The browser has no connection; it tries again by itself when it has one. */
  offline?: boolean
  /** The browser has a connection, and the server does not answer. */
  unreachable?: boolean
  /** Asks for the page's data again, without a reload; in the browser only. */
  retry?: () => void
}

/** What `client/fallbacks/error-document.ts` is given: its default export returns a whole document. */
export interface ErrorDocumentProps extends Omit<ErrorProps, 'retry'> {
  /** Addresses of the stylesheets of every page. @default [] */
  stylesheets?: string[]
  /** @default 'en' */
  lang?: string
}

/** What `client/fallbacks/refused.tsx` is given: a request that was wrong in itself. */
export interface RefusalProps {
  status: number
  /** The status in words. */
  title: string
  /** A sentence for whoever sent it. */
  message: string
  /** Stable code, explained in docs/errors.md. */
  code: string
}
