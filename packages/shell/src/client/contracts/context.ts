import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { PageFetch, Retry } from '../../fetch/page-fetch.ts'
import type { Session } from '../../plugins/session.ts'
import type { Upload } from './form.ts'
import type { Meta } from './meta.ts'

/* Types of the context: arguments of the functions that pages and layouts export, and of `client/context.ts`. */

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
  /** Sets a cookie. Defaults of `options`: HttpOnly, SameSite=Lax, path `/` or `BASE_PATH`, and Secure if `BASE_URL` is https. */
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
