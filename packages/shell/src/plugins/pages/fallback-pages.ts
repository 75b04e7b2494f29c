import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReactElement } from 'react'
import type { ErrorProps, RefusalProps } from '../../client/contract.ts'
import type { View } from '../../client/view.tsx'
import { publishDocument } from '../../server/publish.ts'
import { Deadline } from '../../render/deadline.ts'
import type { PageDocument } from '../../render/document.ts'
import { loadLayouts } from '../../render/load-page.ts'
import { pathOf, searchOf } from '@hull/common/http/request.ts'
import { encodePageData } from '../../render/page-data.ts'
import { PageContext } from '../../render/page-context.ts'
import { inspectData } from '../../render/inspect-data.ts'
import { openRouteContext } from '../../render/route-context.ts'
import type { Layout } from '../../render/site.ts'
import {
  ERROR_TITLE,
  isOutcome,
  isRedirect,
  OUTCOME_TITLES,
  toPageOutcome,
  type Outcome,
  type OutcomeStatus
} from '@hull/common/outcomes.ts'
import { BUILD_HEADER, emptyPagePayload, type PagePayload, type PageProblem } from '../../routing/payload.ts'
import type { PagesContext } from './options.ts'

/** Milliseconds for the frame around an error. A guess: the visitor has already waited. */
const FRAME_TIMEOUT = 1_000

/** The layouts around a fallback, with their data. */
interface Frame {
  layouts: Layout[]
  layoutData: unknown[]
  plain: boolean
  /** The `ctx` of the layouts' functions; undefined if they failed. */
  context?: PageContext
}

/** Used if the frame fails or refuses: the fallback is more important. */
const NO_FRAME: Frame = { layouts: [], layoutData: [], plain: true }

interface WriteOptions extends Frame, Pick<PageDocument, 'script' | 'deadline'> {
  request: FastifyRequest
  reply: FastifyReply
}

/** Creates the documents that replace a page. */
export function createFallbackPages({ state, dev, buildId, baseUrl, renderTimeout, signInPath }: PagesContext) {
  return { renderOutcome, renderRefusal, renderError, outcomeData, errorData }

  async function renderOutcome(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): Promise<string> {
    const deadline = new Deadline(renderTimeout, reply.raw)
    try {
      const frame = await loadAreaFrame(request, reply, deadline)
      const writeWithin = (around: Frame) => {
        const payload = outcomePayload(request, outcome, around)
        return write({ payload, page: null }, { ...around, request, reply, deadline, script: true })
      }
      try {
        return await writeWithin(frame)
      } catch (error) {
        if (frame.layouts.length === 0) throw error
        // The layout's component fails or refuses; it may also be the reason why the page failed.
        if (!isOutcome(error) && !isRedirect(error)) request.reportError(error)
        return await writeWithin(NO_FRAME)
      }
    } finally {
      deadline.stop()
    }
  }

  /** Returns the same for a navigation, as data that the browser needs to show the outcome in place. */
  function outcomeData(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): Promise<PageProblem> {
    return toProblem(request, reply, renderTimeout, (frame) => outcomePayload(request, outcome, frame))
  }

  /** Returns the error for a navigation. Never throws: if even the frame fails, the browser requests the document. */
  async function errorData(
    request: FastifyRequest,
    reply: FastifyReply,
    digest?: string
  ): Promise<PageProblem | undefined> {
    try {
      return await toProblem(request, reply, FRAME_TIMEOUT, (frame) => ({
        ...emptyPayload(request, frame),
        meta: ERROR_META,
        error: digest ? { side: 'server', digest } : { side: 'server' }
      }))
    } catch (failure) {
      request.reportError(failure)
      return undefined
    }
  }

  async function toProblem(
    request: FastifyRequest,
    reply: FastifyReply,
    timeout: number,
    toPayload: (frame: Frame) => PagePayload
  ): Promise<PageProblem> {
    const deadline = new Deadline(Math.min(renderTimeout, timeout), reply.raw)
    try {
      const frame = await loadAreaFrame(request, reply, deadline)
      const payload = toPayload(frame)
      const report = (error: unknown) => request.reportError(error)
      const { body, codec } = await encodePageData(payload, { plain: frame.plain, deadline, report })
      const problem: PageProblem = { meta: payload.meta, codec, payload: body }
      if (payload.outcome) problem.outcome = payload.outcome
      return problem
    } finally {
      deadline.stop()
    }
  }

  function outcomePayload(request: FastifyRequest, outcome: Outcome, frame: Frame): PagePayload {
    return {
      ...emptyPayload(request, frame),
      meta: metaOf(outcome.statusCode),
      outcome: toPageOutcome(outcome, signInPath, request.url)
    }
  }

  /** Loads the frame of the area that contains the address, such as the inbox; otherwise the frame of all fallbacks. */
  async function loadAreaFrame(request: FastifyRequest, reply: FastifyReply, deadline: Deadline): Promise<Frame> {
    const layouts = state.site.areaLayouts(pathOf(request.url))
    const frame = layouts ? await loadFrame(request, reply, deadline, layouts) : NO_FRAME
    return frame === NO_FRAME ? loadFrame(request, reply, deadline) : frame
  }

  /** Loads the layouts around a fallback. Omits them all if one fails or refuses: the fallback is more important. */
  async function loadFrame(
    request: FastifyRequest,
    reply: FastifyReply,
    deadline: Deadline,
    layouts = state.site.fallbackLayouts
  ): Promise<Frame> {
    try {
      const ctx = new PageContext({ request, reply, params: {}, deadline, baseUrl })
      await openRouteContext(state.site.entry.context, ctx, deadline)
      const { layoutData, plain } = await loadLayouts(layouts, ctx, deadline)
      return { layouts, layoutData, plain: plain && (!ctx.state || inspectData(ctx.state)), context: ctx }
    } catch (error) {
      if (!isOutcome(error) && !isRedirect(error)) request.reportError(error)
      return NO_FRAME
    }
  }

  async function renderRefusal(request: FastifyRequest, reply: FastifyReply, refusal: RefusalProps): Promise<string> {
    return renderReplacement(request, reply, state.site.entry.replacements.refusal(refusal), {
      title: refusal.title,
      robots: 'noindex'
    })
  }

  async function renderError(request: FastifyRequest, reply: FastifyReply, error: ErrorProps): Promise<string> {
    const { entry } = state.site
    try {
      return await renderReplacement(request, reply, entry.replacements.error(error), ERROR_META)
    } catch (failure) {
      if (!isOutcome(failure) && !isRedirect(failure)) request.reportError(failure)
      return entry.errorDocument({ ...error, stylesheets: state.documents.stylesheets })
    }
  }

  /**
   * Writes a refusal or an error in the frame of its area, or else in the application's. Each frame has {@link
   * FRAME_TIMEOUT}: the cause of the error may affect the frame too.
   */
  async function renderReplacement(
    request: FastifyRequest,
    reply: FastifyReply,
    replacement: ReactElement,
    meta: PagePayload['meta']
  ): Promise<string> {
    const area = state.site.areaLayouts(pathOf(request.url))
    if (area) {
      try {
        const body = await writeWithin(area)
        if (body !== undefined) return body
      } catch (failure) {
        if (!isOutcome(failure) && !isRedirect(failure)) request.reportError(failure)
      }
    }
    return (await writeWithin(state.site.fallbackLayouts, true))!

    /** @returns undefined if the layouts cannot be loaded, unless `bare` allows a document without them */
    async function writeWithin(layouts: Layout[], bare = false): Promise<string | undefined> {
      const deadline = new Deadline(Math.min(renderTimeout, FRAME_TIMEOUT), reply.raw)
      try {
        const frame = await loadFrame(request, reply, deadline, layouts)
        if (frame === NO_FRAME && !bare) return undefined
        const payload = { ...emptyPayload(request, frame), meta }
        return await write({ payload, page: null, replacement }, { ...frame, request, reply, deadline, script: false })
      } finally {
        deadline.stop()
      }
    }
  }

  function write(
    view: Omit<View, 'search' | 'layouts'>,
    { request, reply, layouts, context, plain, script, deadline }: WriteOptions
  ): Promise<string> {
    reply.header(BUILD_HEADER, buildId)
    const components = layouts.map(({ module }) => module.default)
    const whole = { ...view, search: searchOf(request.url), layouts: components, context }
    return state.documents.writeWhole(
      {
        plain,
        script,
        deadline,
        view: whole,
        sources: sourcesOf(layouts),
        extraHead: publishDocument(request, reply),
        unreported: request.routeOptions.config.unreported,
        nonce: () => reply.useNonce(),
        report: (error) => request.reportError(error)
      },
      dev ? reply.useNonce() : ''
    )
  }

  function emptyPayload(request: FastifyRequest, { layouts, layoutData, context }: Frame): PagePayload {
    const payload = {
      ...emptyPagePayload(buildId, pathOf(request.url)),
      layouts: layouts.map(({ name }) => name),
      layoutData
    }
    return context?.state ? { ...payload, state: context.state } : payload
  }
}

/** Title and tags of a fallback, the same in documents and navigations. */
const metaOf = (status: OutcomeStatus) => ({ title: OUTCOME_TITLES[status], robots: 'noindex' })

const ERROR_META = { title: ERROR_TITLE, robots: 'noindex' }

const known = new WeakMap<Layout[], string[]>()

/** Returns the same list for the same layouts: the document writer uses it as a key for trees that suspend. */
function sourcesOf(layouts: Layout[]): string[] {
  let sources = known.get(layouts)
  if (!sources) known.set(layouts, (sources = layouts.map(({ source }) => source)))
  return sources
}
