import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Meta } from '../../client/contracts/meta.ts'
import type { Deadline } from '../../render/deadline.ts'
import { inspectData } from '../../render/inspect-data.ts'
import { loadLayouts, loadMeta } from '../../render/load-page.ts'
import { PageContext } from '../../render/page-context.ts'
import { openRouteContext } from '../../render/route-context.ts'
import type { Layout } from '../../render/site.ts'
import type { HeadMeta } from '../../routing/payload.ts'
import type { LayoutView } from '../../routing/layout-views.ts'
import type { RouteParams } from '../../routing/route-matcher.ts'
import { pathOf } from '@hull/common/http/request.ts'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import type { PagesContext } from './options.ts'

/** The layouts around a fallback, with their data. */
export interface Frame {
  layouts: Layout[]
  layoutData: unknown[]
  plain: boolean
  /** Title and tags of the fallback, with what the layouts add. */
  meta: HeadMeta
  params: RouteParams
  /** The `ctx` of the layouts' functions; undefined if they failed. */
  context?: PageContext
}

/** Title and tags of the fallback itself. */
export type FallbackMeta = Required<Pick<Meta, 'title' | 'robots'>>

/** The request that gets the frame, and the title of the fallback in it. */
export interface FrameRequest {
  request: FastifyRequest
  reply: FastifyReply
  deadline: Deadline
  meta: FallbackMeta
}

/** Returns the frame without layouts, for a fallback whose layouts fail: the fallback is more important. */
export const bareFrame = (meta: FallbackMeta): Frame => ({ layouts: [], layoutData: [], plain: true, meta, params: {} })

/** Creates functions that load the layouts around fallbacks. */
export function createFrames({ state, baseUrl }: PagesContext) {
  /** Innermost layouts of the frames that failed for a request. */
  const failed = new WeakMap<FastifyRequest, Set<Layout['module']>>()
  return { viewLayouts, loadAreaFrame, loadFrame }

  /**
   * Returns the layouts to try around a view of a layout: those of the page, nearest first, then those of its area. Each
   * list ends with the layout that has the view.
   */
  function viewLayouts(request: FastifyRequest, view: LayoutView): Layout[][] {
    const own = request.visit ? chainsTo(request.visit.page.layouts, view) : []
    const area = chainsTo(state.site.areaLayouts(pathOf(request.url)) ?? state.site.fallbackLayouts, view)
    const known = new Set(own.map(innermost))
    return [...own, ...area.filter((layouts) => !known.has(innermost(layouts)))]
  }

  /** Loads the frame of the area that contains the address, such as the inbox; otherwise the frame of all fallbacks. */
  async function loadAreaFrame(around: FrameRequest): Promise<Frame> {
    const area = state.site.areaLayouts(pathOf(around.request.url))
    return (
      (area && (await loadFrame(around, area))) ??
      (await loadFrame(around, state.site.fallbackLayouts)) ??
      bareFrame(around.meta)
    )
  }

  /** @returns undefined if a layout fails or refuses, or has done so before in a frame of this request */
  async function loadFrame(
    { request, reply, deadline, meta }: FrameRequest,
    layouts: Layout[]
  ): Promise<Frame | undefined> {
    if (layouts.some(({ module }) => failed.get(request)?.has(module))) return undefined
    try {
      const params = request.visit?.ctx.params ?? {}
      const context = new PageContext({ request, reply, params, deadline, baseUrl })
      await openRouteContext(state.site.entry.context, context, deadline)
      const { data: layoutData, plain } = await loadLayouts(layouts, context, deadline)
      const head = await loadHead(layouts, context, { request, deadline, meta })
      return {
        layouts,
        layoutData,
        plain: plain && (!context.state || inspectData(context.state)),
        meta: head,
        params,
        context
      }
    } catch (error) {
      reportFailure(request, error)
      if (layouts.length > 0) failed.set(request, (failed.get(request) ?? new Set()).add(innermost(layouts)))
      return undefined
    }
  }
}

const innermost = (layouts: Layout[]) => layouts.at(-1)!.module

/** Combines the `getMeta` of layouts with the title and tags of a fallback, as for a page. */
async function loadHead(
  layouts: Layout[],
  context: PageContext,
  { request, deadline, meta }: Omit<FrameRequest, 'reply'>
): Promise<HeadMeta> {
  const getMetas = layouts.map(({ module }) => module.getMeta).filter((getMeta) => getMeta !== undefined)
  if (getMetas.length === 0) return meta
  try {
    const file = `client/${layouts.at(-1)!.source}`
    return await deadline.race(loadMeta({ file, getMetas: [...getMetas, () => meta] }, context))
  } catch (error) {
    reportFailure(request, error)
    return meta
  }
}

/** Reports why a fallback cannot be shown, unless that is an answer and no error. */
export function reportFailure(request: FastifyRequest, error: unknown): void {
  if (!isOutcome(error) && !isRedirect(error)) request.reportError(error)
}

const known = new WeakMap<Layout[], Partial<Record<LayoutView, Layout[][]>>>()

/** Returns the same lists for the same layouts, as `sourcesOf` in fallback-pages.ts needs. */
function chainsTo(layouts: Layout[], view: LayoutView): Layout[][] {
  let chains = known.get(layouts)
  if (!chains) known.set(layouts, (chains = {}))
  return (chains[view] ??= layouts
    .flatMap(({ module }, at) => (module[view] ? [layouts.slice(0, at + 1)] : []))
    .toReversed())
}
