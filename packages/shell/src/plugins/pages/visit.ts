import type { FastifyRequest } from 'fastify'
import type { Deadline } from '../../render/deadline.ts'
import type { PageContext } from '../../render/page-context.ts'
import { readVaried, type SharedPage } from '../../render/shared-page.ts'
import type { Page } from '../../render/site.ts'

/** The page a request is for, and what its functions are given. */
export interface PageVisit {
  page: Page
  ctx: PageContext
  deadline: Deadline
  /** The page is rendered once for all visitors; undefined where each one has a document of their own. */
  shared: SharedPage | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: PageVisit | null
  }
}

/** What a request for a cached page may depend on; undefined for any other page, and for an action. */
export function toSharedPage({ module, pattern }: Page, { method, headers }: FastifyRequest): SharedPage | undefined {
  if (module.cache === undefined || method === 'POST') return undefined
  return { page: pattern.path, varied: readVaried(headers, module.cache.vary) }
}
