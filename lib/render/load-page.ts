import type { Invalid, Meta, PageModule } from '../../client/shell/contract.ts'
import { forbidden } from '../common/outcomes.ts'
import type { PageContext } from './page-context.ts'
import type { Deadline } from './deadline.ts'
import { inspectData, isThenable, observe } from './payload.ts'
import type { Layout, Page } from './site.ts'

/**
 * Runs the guards that hold for a page, outermost layout first, each after the one before.
 * A guard refuses by throwing; returning false is read as a refusal too.
 */
export async function guardPage(
  { module, layouts }: Pick<Page, 'module' | 'layouts'>,
  ctx: PageContext,
  deadline: Deadline
): Promise<void> {
  for (const guard of [...layouts.map((layout) => layout.module.guard), module.guard]) {
    if (guard && (await deadline.within(guard(ctx))) === false) forbidden()
  }
}

/** Whether anything guards the page: one without pays nothing for the others. */
export function isGuarded({ module, layouts }: Page): boolean {
  return module.guard !== undefined || layouts.some((layout) => layout.module.guard !== undefined)
}

export interface LoadedData {
  data: unknown
  layoutData: unknown[]
  /** All of it is a plain tree. */
  plain: boolean
}

interface PartData {
  data: unknown
  plain: boolean
}

/** Runs the getData of page and layouts side by side. Synchronous ones cost no turn of the event loop. */
export function loadData(
  { module, layouts }: Pick<Page, 'module' | 'layouts'>,
  ctx: PageContext,
  deadline: Deadline
): LoadedData | Promise<LoadedData> {
  const parts = [module, ...layouts.map((layout) => layout.module)].map((part) => loadPart(part, ctx))
  if (!parts.some(isThenable)) return toLoaded(parts as PartData[])
  return deadline.within(Promise.all(parts).then(toLoaded)) as Promise<LoadedData>
}

/** What a layout's frame needs around a fallback: its guards and its data. */
export async function loadLayouts(layouts: Layout[], ctx: PageContext, deadline: Deadline): Promise<LoadedData> {
  const frame = { module: { default: () => null }, layouts }
  await guardPage(frame, ctx, deadline)
  return loadData(frame, ctx, deadline)
}

function loadPart(part: Pick<PageModule, 'getData'>, ctx: PageContext): PartData | Promise<PartData> {
  const result = part.getData?.(ctx) ?? null
  return isThenable(result) ? observe(result).then(inspect) : inspect(result)
}

const inspect = (data: unknown): PartData => ({ data: data ?? null, plain: inspectData(data ?? null) })

function toLoaded(parts: PartData[]): LoadedData {
  const [data, ...layoutData] = parts.map((part) => part.data)
  return { data, layoutData, plain: parts.every((part) => part.plain) }
}

export const isInvalid = (result: unknown): result is Invalid =>
  typeof result === 'object' && result !== null && (result as Invalid).kind === 'invalid'

/** The page's title and tags. */
export function loadMeta(
  { module }: Page,
  { data, ctx, origin }: { data: unknown; ctx: PageContext; origin: string }
): Meta {
  return module.getMeta?.({ data, params: ctx.params, pathname: ctx.pathname, origin }) ?? {}
}
