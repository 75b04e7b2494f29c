import type { FastifyRequest } from 'fastify'
import type { Deadline } from '../../render/deadline.ts'
import type { PageContext } from '../../render/page-context.ts'
import { searchOf } from '@hull/common/http/request.ts'
import { readSearch, readVaried, type SharedPage } from '../../render/shared-page.ts'
import type { Page } from '../../render/site.ts'

/** The requested page, and the `ctx` of its functions. */
export interface PageVisit {
  page: Page
  ctx: PageContext
  deadline: Deadline
  /** Set if the page is rendered once for all visitors; undefined if each visitor has their own document. */
  shared: SharedPage | undefined
  /** Whether the body is a multipart form that is read as it arrives. */
  isStreamed?: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: PageVisit | null
  }
}

/** Returns the parts of a request that a cached page may depend on; undefined for any other page, and for an action. */
export function toSharedPage(
  { module, pattern }: Page,
  { method, headers, url }: FastifyRequest
): SharedPage | undefined {
  if (module.cache === undefined || method === 'POST') return undefined
  const { vary, search } = module.cache
  return { page: pattern.path, varied: readVaried(headers, vary), search: readSearch(searchOf(url), search) }
}
