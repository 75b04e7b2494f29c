import type { Deadline } from '../../lib/render/deadline.ts'
import type { PageContext } from '../../lib/render/page-context.ts'
import type { Page } from '../../lib/render/site.ts'

/** The page a request is for, and what its functions are given. */
export interface PageVisit {
  page: Page
  ctx: PageContext
  deadline: Deadline
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: PageVisit | null
  }
}

/** Whether one rendering serves everybody. In development every document is made anew. */
export const isShared = ({ module }: Page, method: string, dev: boolean): boolean =>
  module.cache !== undefined && method !== 'POST' && !dev
