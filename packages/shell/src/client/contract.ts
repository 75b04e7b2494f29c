import type { ComponentType, ReactNode } from 'react'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { PageFetch, Retry } from '../fetch/page-fetch.ts'
import type { Session } from '../plugins/session.ts'
import type { FormStateOf, Upload, UploadPolicy } from './form-contract.ts'

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

/** Argument of `guard`, `getData`, `getMeta` and `action`. @typeParam Path address of the page, as in its file name: `/items/[id]` */
export interface Ctx<Path extends string = string> {
  /** Decoded path parameters; a catch-all is an array of decoded segments. */
  params: Params<Path>
  /** Requested path, encoded, without the query. */
  pathname: string
  /** Query. */
  search: URLSearchParams
  /** Origin that visitors use: `BASE_URL`, or the origin of the request. */
  origin: string
  /** IP address of the visitor, determined by `TRUST_PROXY`. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  address: string
  /** Request headers, with lower-case names. On a page with `cache`, a header that `cache.vary` does not list throws APP_PAGE_CACHE_PRIVATE. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Request cookies. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  cookies: Readonly<Record<string, string | undefined>>
  /** Signed session of the visitor. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  session: Session
  /** Fastify instance, with the decorators of all plugins. */
  server: FastifyInstance
  /** `fetch` with retries. A path, or the application's own origin, is answered in process, without a socket. */
  fetch: PageFetch
  /** Runs a function with the same retries. */
  retry: Retry
  /** Logger of the request. */
  log: FastifyBaseLogger
  /** Aborted when the visitor leaves, or after `RENDER_TIMEOUT`. */
  signal: AbortSignal
  /** Sets a response header. On a streaming page, only before its shell is sent. */
  setHeader: (name: string, value: string) => void
  /** Sets a cookie. Defaults of `options`: HttpOnly, SameSite=Lax, path `/`, and Secure if `BASE_URL` is https. */
  setCookie: (name: string, value: string, options?: CookieSerializeOptions) => void
  /** Creates a token for `<FormToken>` and `once`. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  formToken: () => string
  /** Sets the status of a page that has data, from 200 to 599. @default 200 */
  status: (code: number) => void
  /** Request of Fastify; its `params` have the names in the page's address. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  req: FastifyRequest
  /** Reply of Fastify; its `redirect` ends the page as {@link redirect} does. Throws APP_PAGE_CACHE_PRIVATE on a page with `cache`. */
  reply: FastifyReply
  /** Value that `state()` of `client/context.ts` returned for this request. @default undefined */
  state: any
}

/** Argument of `action`: the context and the posted form. */
export interface ActionCtx<Path extends string = string> extends Ctx<Path> {
  /** The posted fields; files are `File` objects. */
  form: FormData
  /** The files of a page with `uploads`. Temporary files are removed after the answer. @default [] */
  uploads: readonly Upload[]
}

/** Resolved return value of a `getData`. */
export type DataOf<GetData> = GetData extends (...args: never[]) => infer R ? Awaited<R> : undefined

/** Props of a page's component: `PageProps<typeof getData>`, or `PageProps<typeof getData, typeof action>`. */
export interface PageProps<GetData = undefined, Action = undefined> {
  /** Return value of `getData`. */
  data: DataOf<GetData>
  /** Decoded path parameters. */
  params: Record<string, string | string[]>
  /** Errors and values after an action refused the input; otherwise undefined. */
  form?: FormStateOf<Action>
}

/** Props of a layout's component. */
export interface LayoutProps<GetData = undefined> {
  children: ReactNode
  /** Return value of the layout's own `getData`. */
  data: DataOf<GetData>
}

/** Argument of `getMeta`: the context and the page's data. */
export interface MetaCtx<GetData = undefined, Path extends string = string> extends Ctx<Path> {
  data: DataOf<GetData>
}

/**
 * Argument of `onEnter`, which runs on the server for a document, and in the browser for a navigation. The browser has
 * few members of {@link Ctx}.
 */
export interface EnterCtx<GetData = undefined, Path extends string = string>
  extends Pick<Ctx<Path>, 'params' | 'pathname' | 'state'>, Partial<Omit<Ctx<Path>, 'params' | 'pathname' | 'state'>> {
  /** Data of the page. The returned object is added to it. */
  data: DataOf<GetData>
  /** Title and tags. Assign another object to replace them. */
  head: Meta
  /** True on the server. */
  firstRender: boolean
  /** Set to true to render the component in the browser only. */
  clientOnly: boolean
  /** Exports of `client/context.ts`. */
  [name: string]: any
}

/** `client/context.ts`. Its default function runs for each document on the server, and once in the browser before the first page. */
export interface ContextModule {
  default?: (ctx: any) => unknown
  /** Creates the state of one visitor, which is sent in the document and lives in the browser as long as the document. */
  state?: () => object
  /** Every other export is a member of each page's context. */
  [name: string]: unknown
}

/** Attributes of an element. true is an attribute without value; false, null and undefined omit the attribute. */
type Attributes = Record<string, string | number | boolean | null | undefined>
type RootAttributes = Record<string, Attributes[string] | string[] | Record<string, boolean>>

/** Return value of `getMeta`. All values are text, which Hull escapes. */
export interface Meta {
  title?: string
  description?: string
  /** Absolute URL, or a path of this application. */
  canonical?: string
  /**
   * Open Graph properties without the prefix: `{ image: '/picture.png' }` is `og:image`. A list is one element for each
   * value. A path as `image`, `url`, `video` or `audio` becomes an absolute URL.
   */
  openGraph?: Record<string, string | string[]>
  /** Properties for X (Twitter), without the prefix: `{ card: 'summary_large_image' }` is `twitter:card`. */
  twitter?: Record<string, string>
  /**
   * Addresses of this page by language, for `hreflang`: `{ de: '/de/prices', 'x-default': '/prices' }`. Absolute URLs,
   * or paths of this application. Name the page's own language too.
   */
  alternates?: Record<string, string>
  /** Structured data, one object or several, as `application/ld+json`. Anything that JSON can represent. */
  jsonLd?: object | object[]
  /** Content of the `robots` element, such as `noindex`. */
  robots?: string
  /** Template around the title: `%s - Shop`, or a function. Without a title it is not used. */
  titleTemplate?: string | ((title: string) => string)
  /** Additional `<meta>` elements, by their attributes: `{ name: 'author', content: 'Ada' }`. */
  meta?: Attributes[]
  /** Additional `<link>` elements, by their attributes. */
  link?: Attributes[]
  /** Attributes of `<html>` while the page is shown. */
  htmlAttrs?: RootAttributes
  /** Attributes of `<body>` while the page is shown. */
  bodyAttrs?: RootAttributes
}

/** Fastify hooks of a page's route, for its document, its data and its action. */
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

type Entries = Iterable<SitemapEntry> | AsyncIterable<SitemapEntry>

export interface CachePolicy {
  /** Seconds for which the cached document is served unchanged. */
  maxAge: number
  /**
   * Seconds after `maxAge` for which the document is still served while a render replaces it.
   * @default 0
   */
  staleWhileRevalidate?: number
  /**
   * Names of request headers that the page may read, at most four. The page is rendered once for each of their values.
   * Headers that identify a visitor, such as `cookie`, are refused. @default []
   */
  vary?: readonly string[]
  /**
   * Tags of the document: `server.pageCache.invalidate({ tags })` removes documents that have one of its tags. They are
   * also sent as `Cache-Tag`. A list, or a function of the context and the data, of at most 64 tags. A tag has 1 to 120
   * visible ASCII characters, no comma, and no slash at the beginning. Any other tag is 500 `APP_PAGE_INVALID`.
   * @default []
   */
  tags?: readonly string[] | ((ctx: MetaCtx<any, any>) => readonly string[])
}

/** One address of a sitemap. */
export interface SitemapEntry {
  /** Path of the page, encoded, without query: `/items/7`. */
  path: string
  /** Time of the last change, for `lastmod`. @default none */
  lastModified?: Date
}

/** Exports of a file in `client/pages/`. The build fails on any other export and names it. */
export interface PageModule extends RouteHooks {
  default: ComponentType<any>
  guard?: (ctx: Ctx<any>) => unknown
  getData?: (ctx: Ctx<any>) => unknown
  getMeta?: (ctx: MetaCtx<any, any>) => Meta | Promise<Meta>
  /** Runs before the page is shown: on the server for a document, in the browser for a navigation. */
  onEnter?: (ctx: EnterCtx<any, any>) => unknown
  /** Called once when the server starts, with the Fastify instance: registers routes and hooks of the page. */
  configure?: (server: FastifyInstance) => unknown
  /** Replaces the file's address: `/users/:id`, `/files/*`. */
  path?: string
  action?: (ctx: ActionCtx<any>) => unknown
  /** Streams files to the action instead of reading the form at once. @default undefined: files are in memory, within BODY_LIMIT */
  uploads?: UploadPolicy
  /** Name of a file in `client/layouts/`, or null for none. @default 'default' */
  layout?: string | null
  /** Sends the shell at once, and the rest when it is ready. @default false */
  streaming?: boolean
  /** Sends no script with the page. @default false */
  serverOnly?: boolean
  /** Loads data on the server, and renders the component in the browser only. @default false */
  clientOnly?: boolean
  /**
   * States that the data depends only on the path: prefetched data is used for 300 s.
   * @default false
   */
  staticData?: boolean
  /** Renders the page once and serves it to all visitors from memory. @default undefined: not cached */
  cache?: CachePolicy
  /**
   * Lists the page in `server.pages.sitemap()`: true for a page without parameters, or a function that returns its
   * addresses. @default undefined: not listed
   */
  sitemap?: true | ((server: FastifyInstance) => Entries | Promise<Entries>)
}

/** Exports of a file in `client/layouts/`. */
export interface LayoutModule {
  default: ComponentType<any>
  guard?: (ctx: Ctx<any>) => unknown
  getData?: (ctx: Ctx<any>) => unknown
  /** Title template and tags of every page in the layout; members that the page or an inner layout returns win. */
  getMeta?: (ctx: Ctx<any>) => Meta | Promise<Meta>
  /**
   * Shown inside this layout in place of a page that failed. If it fails too, the `ErrorView` of the next outer layout is
   * shown. @default undefined: that of the next outer layout, or `client/fallbacks/error.tsx`
   */
  ErrorView?: ComponentType<ErrorProps>
  /**
   * Shown inside this layout in place of a page that is 404. @default undefined: that of the next outer layout, or
   * `client/fallbacks/not-found.tsx`
   */
  NotFoundView?: ComponentType<FallbackProps>
  /**
   * Shown inside this layout while a navigation loads a page below it for longer than 200 ms, and in place of a streaming
   * page that suspends. @default undefined: that of the next outer layout, or the page that is left
   */
  LoadingView?: ComponentType
  /** Name of the layout around this one. @default undefined: none */
  layout?: string
  /**
   * Path such as `/team`. This layout surrounds outcomes, refusals and errors of that path and of everything below it,
   * including addresses without a page. The longest path has precedence. If this layout fails or throws an outcome,
   * `default` surrounds them.
   * @default undefined: the `default` layout surrounds them
   */
  fallbackFor?: string
}

/** Props of the components in `client/fallbacks/` for 401, 403 and 404. */
export interface FallbackProps {
  status: 401 | 403 | 404
  /** A sentence for the visitor. */
  message: string
  /** Requested path, encoded. */
  pathname: string
  /** Address of the sign-in page, which returns here. Only with 401, if `SIGN_IN_PATH` is set or `unauthorized()` named a page. */
  signInHref?: string
}

/** Props of `client/fallbacks/error.tsx`. */
export interface ErrorProps {
  /** Host name of the request. */
  host: string
  /** Identifies the error in the server's log and in the inbox. An error of the browser is only in the inbox. */
  digest?: string
  /** Side that failed, if known. */
  side?: 'server' | 'client'
  /** The browser has no connection, and retries when the connection is back. */
  offline?: boolean
  /** The browser has a connection, but the server does not answer. */
  unreachable?: boolean
  /** Requests the page's data again, without a reload. Only in the browser. */
  retry?: () => void
}

/** Argument of the default export of `client/fallbacks/error-document.ts`, which returns a whole document. */
export interface ErrorDocumentProps extends Omit<ErrorProps, 'retry'> {
  /** Addresses of the stylesheets of every page. @default [] */
  stylesheets?: string[]
  /** Address of the home page. @default '/' */
  home?: string
  /** @default 'en' */
  lang?: string
}

/** Props of `client/fallbacks/refused.tsx`, for a request that was refused, such as 405. */
export interface RefusalProps {
  status: number
  /** Name of the status, such as "Method Not Allowed". */
  title: string
  /** A sentence for the visitor. */
  message: string
  /** Stable code, explained in docs/errors.md. */
  code: string
  /** Method of the request, such as POST. A GET or HEAD would have changed nothing. */
  method: string
}
