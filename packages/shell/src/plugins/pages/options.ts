import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorProps, RefusalProps } from '../../client/contract.ts'
import type { BrowserTagsOptions } from '../../render/browser-tags.ts'
import type { PageCache } from '../../render/page-cache.ts'
import type { RendererState } from '../../render/renderer.ts'
import type { Site } from '../../render/site.ts'
import type { Outcome } from '@hull/common/outcomes.ts'
import type { PageProblem } from '../../routing/payload.ts'

declare module 'fastify' {
  interface FastifyInstance {
    pages: Pages
  }
}

/** What other plugins ask of the pages. */
export interface Pages {
  /** Pages and addresses as they are now. */
  readonly site: Site
  /** Methods the page at a path answers; undefined where there is no page. */
  allowedMethods: (pathname: string) => string[] | undefined
  /**
   * The document for a 401, 403 or 404, in the application's frame.
   * @throws what the fallback itself throws
   */
  renderOutcome: (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) => Promise<string>
  /** The document for any other refusal of a request. */
  renderRefusal: (request: FastifyRequest, reply: FastifyReply, refusal: RefusalProps) => Promise<string>
  /** The error page. Needs no script; where even the frame fails, no React either. Never throws. */
  renderError: (request: FastifyRequest, reply: FastifyReply, error: ErrorProps) => Promise<string>
  /**
   * A 401, 403 or 404 for a navigation, which shows it in place.
   * @throws what the frame's data cannot be written for
   */
  outcomeData: (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) => Promise<PageProblem>
  /** An error for a navigation; undefined where even the frame fails. Never throws. */
  errorData: (request: FastifyRequest, reply: FastifyReply, digest?: string) => Promise<PageProblem | undefined>
}

export interface PagesOptions extends BrowserTagsOptions {
  /** The project's folder. */
  root: string
  /** The folder a build wrote. @default `dist` below the root */
  dist?: string
  /** Serve from the sources through Vite, with hot reload. @default false */
  dev?: boolean
  /** Id of the build, in every payload. */
  buildId: string
  /** Milliseconds until an unfinished page is cancelled. */
  renderTimeout: number
  /** Path of the sign-in page, offered with a 401. */
  signInPath?: string
  /** Origin that visitors use. @default the origin of each request */
  baseUrl?: string
  /** Store for pages that export `cache`. */
  cache: PageCache
}

/** What the parts of this plugin share. */
export interface PagesContext extends PagesOptions {
  state: RendererState
  dev: boolean
}
