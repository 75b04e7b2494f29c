import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReactElement } from 'react'
import type { ErrorProps, RefusalProps } from '../../client/shell/contract.ts'
import type { View } from '../../client/shell/view.tsx'
import { Deadline } from '../../lib/render/deadline.ts'
import type { PageDocument } from '../../lib/render/document.ts'
import { loadLayouts } from '../../lib/render/load-page.ts'
import { pathOf } from '../../lib/http/path.ts'
import { PageContext } from '../../lib/render/page-context.ts'
import type { Layout } from '../../lib/render/site.ts'
import { isOutcome, isRedirect, type Outcome, type OutcomeStatus } from '../../lib/common/outcomes.ts'
import type { PageOutcome, PagePayload } from '../../lib/common/payload.ts'
import type { PagesContext } from './options.ts'

/** Milliseconds for the frame around an error. A guess: a visitor who sees an error has waited already. */
const FRAME_TIMEOUT = 1_000

const TITLES: Record<OutcomeStatus, string> = { 401: 'Sign in', 403: 'Not allowed', 404: 'Not found' }

/** What stands around a fallback, with its data. */
interface Frame {
  layouts: Layout[]
  layoutData: unknown[]
  plain: boolean
}

interface WriteOptions extends Pick<PageDocument, 'plain' | 'script' | 'deadline'> {
  request: FastifyRequest
  reply: FastifyReply
  layouts: Layout[]
}

/** The documents that stand in for a page. */
export function createFallbackPages({ state, dev, buildId, renderTimeout, signInPath }: PagesContext) {
  return { outcomeOf, metaOf, renderOutcome, renderRefusal, renderError }

  function outcomeOf(request: FastifyRequest, { statusCode: status, code, message }: Outcome): PageOutcome {
    const outcome: PageOutcome = { status, code, message }
    if (status === 401 && signInPath) outcome.signInHref = `${signInPath}?return=${encodeURIComponent(request.url)}`
    return outcome
  }

  async function renderOutcome(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): Promise<string> {
    const deadline = new Deadline(renderTimeout, reply.raw)
    try {
      const { layouts, layoutData, plain } = await loadFrame(request, reply, deadline)
      const payload = {
        ...emptyPayload(request, layouts, layoutData),
        meta: metaOf(outcome.statusCode),
        outcome: outcomeOf(request, outcome)
      }
      return await write(
        { payload, page: null, layouts: layouts.map(({ module }) => module.default) },
        { request, reply, layouts, plain, deadline, script: true }
      )
    } finally {
      deadline.end()
    }
  }

  /** What stands around a fallback. A frame that fails or refuses is left out: the fallback matters more. */
  async function loadFrame(request: FastifyRequest, reply: FastifyReply, deadline: Deadline): Promise<Frame> {
    const layouts = state.site.fallbackLayouts
    try {
      const ctx = new PageContext({ request, reply, params: {}, deadline, shared: false })
      return { layouts, ...(await loadLayouts(layouts, ctx, deadline)) }
    } catch (error) {
      if (!isOutcome(error) && !isRedirect(error)) request.reportError(error)
      return { layouts: [], layoutData: [], plain: true }
    }
  }

  async function renderRefusal(request: FastifyRequest, reply: FastifyReply, refusal: RefusalProps): Promise<string> {
    return renderStandIn(request, reply, state.site.entry.standIns.refusal(refusal), refusal.title)
  }

  async function renderError(request: FastifyRequest, reply: FastifyReply, error: ErrorProps): Promise<string> {
    const { entry } = state.site
    try {
      return await renderStandIn(request, reply, entry.standIns.error(error), 'Application error')
    } catch (failure) {
      request.reportError(failure)
      return entry.errorDocument({ ...error, stylesheets: state.documents.stylesheets })
    }
  }

  /** In the application's frame, as long as that stands in a moment: what has just failed may fail again. */
  async function renderStandIn(
    request: FastifyRequest,
    reply: FastifyReply,
    standIn: ReactElement,
    title: string
  ): Promise<string> {
    const deadline = new Deadline(Math.min(renderTimeout, FRAME_TIMEOUT), reply.raw)
    try {
      const { layouts, layoutData, plain } = await loadFrame(request, reply, deadline)
      const payload = { ...emptyPayload(request, layouts, layoutData), meta: { title, robots: 'noindex' } }
      return await write(
        { payload, page: null, layouts: layouts.map(({ module }) => module.default), standIn },
        { request, reply, layouts, plain, deadline, script: false }
      )
    } finally {
      deadline.end()
    }
  }

  function write(view: View, { request, reply, layouts, ...rest }: WriteOptions): Promise<string> {
    return state.documents.writeWhole(
      {
        ...rest,
        view,
        sources: sourcesOf(layouts),
        trace: request.trace.metaTags(),
        report: (error) => request.reportError(error)
      },
      dev ? reply.useNonce() : ''
    )
  }

  function emptyPayload(request: FastifyRequest, layouts: Layout[], layoutData: unknown[]): PagePayload {
    return {
      build: buildId,
      page: null,
      pathname: pathOf(request.url),
      params: {},
      data: null,
      layouts: layouts.map(({ name }) => name),
      layoutData,
      meta: {}
    }
  }
}

/** Title and tags of a fallback, the same by document and by navigation. */
const metaOf = (status: OutcomeStatus) => ({ title: TITLES[status], robots: 'noindex' })

const known = new WeakMap<Layout[], string[]>()

/** The same list for the same layouts: the document writer remembers by it which trees suspend. */
function sourcesOf(layouts: Layout[]): string[] {
  let sources = known.get(layouts)
  if (!sources) known.set(layouts, (sources = layouts.map(({ name }) => `layouts/${name}.tsx`)))
  return sources
}
