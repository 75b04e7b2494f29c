import type { ComponentType, ReactNode } from 'react'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ROUTE_HOOKS } from '../../routing/route-hooks.ts'
import type { ActionCtx, Ctx, DataOf, EnterCtx, MetaCtx } from './context.ts'
import type { ErrorProps, FallbackProps } from './fallback.ts'
import type { FormStateOf, UploadPolicy } from './form.ts'
import type { Meta } from './meta.ts'

/* Types of pages and layouts: the exports of their files, and the props of their components. */

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

/** Fastify hooks of a page's route, for its document, its data and its action. */
type RouteHooks = Pick<RouteOptions, (typeof ROUTE_HOOKS)[number]>

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
   * Names of the parameters of the query that the page may read. The page is rendered once for each of their values;
   * other parameters, such as those of campaigns, are not in `ctx.search`. @default all
   */
  search?: readonly string[]
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
