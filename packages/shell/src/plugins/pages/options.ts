import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorProps, RefusalProps } from '../../client/contracts/fallback.ts'
import type { SitemapEntry } from '../../client/contracts/page.ts'
import type { BrowserTagsOptions } from '../../render/browser-tags.ts'
import type { PageCache } from '../../render/page-cache.ts'
import type { Submissions, SubmissionStore } from '../../render/submissions.ts'
import type { RendererState } from '../../render/renderer.ts'
import type { Site } from '../../render/site.ts'
import type { Outcome } from '@hull/common/outcomes.ts'
import type { ListedRoute } from './list-routes.ts'
import type { PageProblem } from '../../routing/payload.ts'

declare module 'fastify' {
  interface FastifyInstance {
    pages: Pages
    /** Runs actions once for each form token. */
    submissions: Submissions
    /** Stores the documents of pages that export `cache`; `invalidate` removes them. */
    pageCache: PageCache
  }
}

/** Interface of the pages for other plugins. */
export interface Pages {
  /** Current pages and addresses. */
  readonly site: Site
  /**
   * Returns the methods of the page at a path; undefined if there is no page.
   * @throws PageUnloadable
   */
  allowedMethods: (pathname: string) => Promise<string[] | undefined>
  /**
   * Returns every page and every other route of the server, in the order of their patterns.
   * @throws PageUnloadable
   */
  listRoutes: () => Promise<ListedRoute[]>
  /**
   * Returns the addresses of all pages that export `sitemap`.
   * @throws PageInvalid if a `sitemap` or one of its entries is not valid
   */
  sitemap: () => AsyncGenerator<SitemapEntry>
  /**
   * Renders the document for a 401, 403 or 404, in the application's frame.
   * @throws errors of the fallback itself
   */
  renderOutcome: (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) => Promise<string>
  /**
   * Renders the document for any other refused request.
   * @param isBare without layouts, whose guards and data would be loaded
   */
  renderRefusal: (
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: RefusalProps,
    isBare: boolean
  ) => Promise<string>
  /** Renders the error page, which needs no script, and no React if even the frame fails. Never throws. */
  renderError: (request: FastifyRequest, reply: FastifyReply, error: ErrorProps) => Promise<string>
  /**
   * Encodes a 401, 403 or 404 for a navigation, which shows it in place.
   * @throws errors of encoding the frame's data
   */
  outcomeData: (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) => Promise<PageProblem>
  /** Encodes an error for a navigation; undefined if even the frame fails. Never throws. */
  errorData: (
    request: FastifyRequest,
    reply: FastifyReply,
    error: Pick<ErrorProps, 'digest' | 'message'>
  ) => Promise<PageProblem | undefined>
}

export interface PagesOptions extends BrowserTagsOptions {
  /** The project's folder. */
  root: string
  /**
   * Output folder of the build.
   * @default `dist` in the root
   */
  dist?: string
  /**
   * Serves from the sources through Vite, with hot reload.
   * @default false
   */
  dev?: boolean
  /** Id of the build, in every payload. */
  buildId: string
  /** Milliseconds until an unfinished page is cancelled. */
  renderTimeout: number
  /** Path of the sign-in page that a 401 offers. */
  signInPath?: string
  /**
   * Origin that visitors use.
   * @default the origin of each request
   */
  baseUrl?: string
  /**
   * Stores what accepted forms with a token did.
   * @default the last 10,000 for a day, in the memory of this process
   */
  submissions?: SubmissionStore
  /** Stores the documents of pages that export `cache`. */
  cache: PageCache
}

/** Options and state for all parts of this plugin. */
export interface PagesContext extends PagesOptions {
  state: RendererState
  dev: boolean
}
