import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReactElement } from 'react'
import type { ErrorProps, RefusalProps } from '../../client/contracts/fallback.ts'
import type { View } from '../../client/view/view.tsx'
import { errorDocument } from '../../client/fallbacks/default-error-document.ts'
import { publishDocument } from '../../server/publish.ts'
import { Deadline } from '../../render/deadline.ts'
import type { PageDocument } from '../../render/document.ts'
import { pathOf, searchOf } from '@hull/common/http/request.ts'
import { encodePageData } from '../../render/page-data.ts'
import type { Layout } from '../../render/site.ts'
import { ERROR_TITLE, OUTCOME_TITLES, toPageOutcome, type Outcome, type OutcomeStatus } from '@hull/common/outcomes.ts'
import { BUILD_HEADER, emptyPagePayload, type PagePayload, type PageProblem } from '../../routing/payload.ts'
import { bareFrame, createFrames, reportFailure, type Frame, type FrameRequest } from './fallback-frames.ts'
import type { PagesContext } from './options.ts'

/** Milliseconds for the frame around an error. A guess: the visitor has already waited. */
const FRAME_TIMEOUT = 1_000

interface WriteOptions extends Omit<Frame, 'meta' | 'params'>, Pick<PageDocument, 'script' | 'deadline'> {
  request: FastifyRequest
  reply: FastifyReply
}

/** Creates the documents that replace a page. */
export function createFallbackPages(options: PagesContext) {
  const { state, dev, buildId, renderTimeout, signInPath } = options
  const { viewLayouts, loadAreaFrame, loadFrame } = createFrames(options)
  return { renderOutcome, renderRefusal, renderError, outcomeData, errorData }

  async function renderOutcome(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): Promise<string> {
    const meta = metaOf(outcome.statusCode)
    const views = outcomeLayouts(request, outcome)
    for (const layouts of views) {
      const body = await attempt(request, () =>
        within(reply, renderTimeout, async (deadline) => {
          const frame = await loadFrame({ request, reply, deadline, meta }, layouts)
          return frame && writeIn(frame, deadline)
        })
      )
      if (body !== undefined) return body
    }
    return within(reply, renderTimeout, async (deadline) => {
      const frame = await loadAreaFrame({ request, reply, deadline, meta })
      // The layout's component may fail or refuse; it may also be the reason why the page failed.
      const body =
        frame.layouts.length > 0 ? await attempt(request, () => writeIn(frame, deadline, views.length > 0)) : undefined
      return body ?? writeIn(bareFrame(meta), deadline)
    })

    function writeIn(frame: Frame, deadline: Deadline, ownFallback = false): Promise<string> {
      const payload = outcomePayload(request, outcome, frame)
      if (ownFallback) payload.ownFallback = true
      return write({ payload, page: null }, { ...frame, request, reply, deadline, script: true })
    }
  }

  /** Returns the same for a navigation, as data that the browser needs to show the outcome in place. */
  function outcomeData(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): Promise<PageProblem> {
    const layouts = outcomeLayouts(request, outcome)
    return toProblem({ request, reply, meta: metaOf(outcome.statusCode) }, renderTimeout, layouts, (frame) =>
      outcomePayload(request, outcome, frame)
    )
  }

  /** Returns the error for a navigation. Never throws: if even the frame fails, the browser requests the document. */
  function errorData(
    request: FastifyRequest,
    reply: FastifyReply,
    error: Pick<ErrorProps, 'digest' | 'message'>
  ): Promise<PageProblem | undefined> {
    return attempt(request, () =>
      toProblem({ request, reply, meta: ERROR_META }, FRAME_TIMEOUT, viewLayouts(request, 'ErrorView'), (frame) => ({
        ...emptyPayload(request, frame),
        error: { side: 'server', ...error }
      }))
    )
  }

  /** @param views layouts to try before those of the area */
  function toProblem(
    around: Omit<FrameRequest, 'deadline'>,
    timeout: number,
    views: Layout[][],
    toPayload: (frame: Frame) => PagePayload
  ): Promise<PageProblem> {
    const { request, reply } = around
    return within(reply, timeout, async (deadline) => {
      let frame: Frame | undefined
      for (const layouts of views) frame ??= await loadFrame({ ...around, deadline }, layouts)
      const ownFallback = frame === undefined && views.length > 0
      frame ??= await loadAreaFrame({ ...around, deadline })
      const payload = toPayload(frame)
      if (ownFallback) payload.ownFallback = true
      const report = (error: unknown) => request.reportError(error)
      const { body, codec } = await encodePageData(payload, { plain: frame.plain, deadline, report })
      const problem: PageProblem = { meta: payload.meta, codec, payload: body }
      if (payload.outcome) problem.outcome = payload.outcome
      return problem
    })
  }

  /** Runs with a deadline of its own. */
  async function within<T>(reply: FastifyReply, timeout: number, run: (deadline: Deadline) => Promise<T>): Promise<T> {
    const deadline = new Deadline(Math.min(renderTimeout, timeout), reply.raw)
    try {
      return await run(deadline)
    } finally {
      deadline.stop()
    }
  }

  function outcomeLayouts(request: FastifyRequest, { statusCode }: Outcome): Layout[][] {
    return statusCode === 404 ? viewLayouts(request, 'NotFoundView') : []
  }

  function outcomePayload(request: FastifyRequest, outcome: Outcome, frame: Frame): PagePayload {
    return { ...emptyPayload(request, frame), outcome: toPageOutcome(outcome, signInPath, request.url) }
  }

  async function renderRefusal(
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: RefusalProps,
    isBare: boolean
  ): Promise<string> {
    const meta = { title: refusal.title, robots: 'noindex' }
    const replacement = state.site.entry.replacements.refusal(refusal)
    if (!isBare) return renderReplacement({ request, reply, meta }, replacement)
    return within(reply, FRAME_TIMEOUT, (deadline) =>
      writeReplacement(bareFrame(meta), replacement, { request, reply, deadline })
    )
  }

  async function renderError(request: FastifyRequest, reply: FastifyReply, error: ErrorProps): Promise<string> {
    const body = await renderErrorPage(request, reply, error)
    return state.devErrors && error.digest ? body + state.devErrors.toMarkup(error.digest, reply.useNonce()) : body
  }

  async function renderErrorPage(request: FastifyRequest, reply: FastifyReply, error: ErrorProps): Promise<string> {
    const { entry } = state.site
    const { replacements } = entry
    const home = `${request.server.basePath}/`
    // In development, no page can be loaded before a file is corrected.
    if (!replacements) return errorDocument({ ...error, home })
    const views = viewLayouts(request, 'ErrorView').map((layouts) => ({
      layouts,
      element: replacements.error(error, layouts.at(-1)!.module.ErrorView)
    }))
    const body = await attempt(request, () =>
      renderReplacement({ request, reply, meta: ERROR_META }, replacements.error(error), views)
    )
    return (
      body ??
      entry.errorDocument({
        ...error,
        stylesheets: state.documents.stylesheets,
        home
      })
    )
  }

  /**
   * Writes a refusal or an error in the frame of its area, or else in the application's. Each frame has {@link
   * FRAME_TIMEOUT}: the cause of the error may affect the frame too.
   * @param views elements to try before, each with its layouts
   */
  async function renderReplacement(
    around: Omit<FrameRequest, 'deadline'>,
    element: ReactElement,
    views: Array<{ layouts: Layout[]; element: ReactElement }> = []
  ): Promise<string> {
    const { request, reply, meta } = around
    const area = state.site.areaLayouts(pathOf(request.url))
    for (const frame of area ? [...views, { layouts: area, element }] : views) {
      const body = await attempt(request, () => writeWithin(frame.layouts, frame.element))
      if (body !== undefined) return body
    }
    return (await writeWithin(state.site.fallbackLayouts, element, bareFrame(meta)))!

    /** @param bare frame for layouts that cannot be loaded. @default undefined is returned */
    function writeWithin(layouts: Layout[], replacement: ReactElement, bare?: Frame): Promise<string | undefined> {
      return within(reply, FRAME_TIMEOUT, async (deadline) => {
        const frame = (await loadFrame({ ...around, deadline }, layouts)) ?? bare
        return frame && writeReplacement(frame, replacement, { request, reply, deadline })
      })
    }
  }

  /** Writes a refusal or an error in a frame. */
  function writeReplacement(
    frame: Frame,
    replacement: ReactElement,
    { request, reply, deadline }: Omit<FrameRequest, 'meta'>
  ): Promise<string> {
    const payload = emptyPayload(request, frame)
    return write({ payload, page: null, replacement }, { ...frame, request, reply, deadline, script: false })
  }

  function write(
    view: Omit<View, 'search' | 'layouts'>,
    { request, reply, layouts, context, plain, script, deadline }: WriteOptions
  ): Promise<string> {
    reply.header(BUILD_HEADER, buildId)
    const components = layouts.map(({ module }) => module)
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

  function emptyPayload(request: FastifyRequest, { layouts, layoutData, meta, params, context }: Frame): PagePayload {
    const payload = {
      ...emptyPagePayload(buildId, pathOf(request.url)),
      layouts: layouts.map(({ name }) => name),
      layoutData,
      meta,
      params
    }
    return context?.state ? { ...payload, state: context.state } : payload
  }
}

/** Title and tags of a fallback, the same in documents and navigations. */
const metaOf = (status: OutcomeStatus) => ({ title: OUTCOME_TITLES[status], robots: 'noindex' })

/** Returns undefined if the attempt fails, and reports why. */
async function attempt<T>(request: FastifyRequest, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    reportFailure(request, error)
    return undefined
  }
}

const ERROR_META = { title: ERROR_TITLE, robots: 'noindex' }

const known = new WeakMap<Layout[], string[]>()

/** Returns the same list for the same layouts: the document writer uses it as a key for trees that suspend. */
function sourcesOf(layouts: Layout[]): string[] {
  let sources = known.get(layouts)
  if (!sources) known.set(layouts, (sources = layouts.map(({ source }) => source)))
  return sources
}
