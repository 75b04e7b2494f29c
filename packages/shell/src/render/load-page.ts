import type { Meta } from '../client/contracts/meta.ts'
import type { PageModule } from '../client/contracts/page.ts'
import { forbidden } from '@hull/common/outcomes.ts'
import { mergeMeta, toHeadMeta } from '../routing/head-meta.ts'
import type { HeadMeta } from '../routing/payload.ts'
import { MetaUnsupported, PageInvalid } from '../errors.ts'
import { checkHeadTexts } from './check-page.ts'
import { CHANNELS } from '@hull/common/channels.ts'
import { publishWork } from '../server/publish.ts'
import type { PageContext } from './page-context.ts'
import type { Deadline } from './deadline.ts'
import { isThenable } from '@hull/common/is-thenable.ts'
import { handleRejection } from '../server/handled-promise.ts'
import { inspectData } from './inspect-data.ts'
import type { Layout, Page } from './site.ts'

/** A page or layout, with the name of its spans and the exports that are used here. */
interface Part {
  name: string
  module: Pick<PageModule, 'guard' | 'getData'>
}

/** Runs the guards of a page and its layouts. */
export const guardPage = (page: Page, ctx: PageContext, deadline: Deadline): Promise<void> =>
  runGuards([...page.layouts, toPart(page)], ctx, deadline)

/**
 * Runs guards one after the other, the outermost layout's first. A guard refuses by throwing, or by returning false.
 */
async function runGuards(parts: Part[], ctx: PageContext, deadline: Deadline): Promise<void> {
  for (const { name, module } of parts) {
    const { guard } = module
    if (guard && (await publishWork(CHANNELS.guard, ctx.toMessage(name), () => deadline.race(guard(ctx)))) === false)
      forbidden()
  }
}

/** Whether the page or a layout has a guard. Pages without one skip the work. */
export function isGuarded({ module, layouts }: Page): boolean {
  return module.guard !== undefined || layouts.some((layout) => layout.module.guard !== undefined)
}

interface LoadedData {
  /** Results of the parts, in the same order. */
  data: unknown[]
  /** True if all of the data is a plain tree. */
  plain: boolean
}

interface PartData {
  data: unknown
  plain: boolean
}

/** Runs the getData of a page and of its layouts, which follow in the result. */
export const loadData = (page: Page, ctx: PageContext, deadline: Deadline): LoadedData | Promise<LoadedData> =>
  loadParts([toPart(page), ...page.layouts], ctx, deadline)

/** Runs each getData in parallel. Synchronous ones cost no turn of the event loop. */
function loadParts(parts: Part[], ctx: PageContext, deadline: Deadline): LoadedData | Promise<LoadedData> {
  const loading = parts.map((part) => loadPart(part, ctx))
  if (!loading.some(isThenable)) return toLoaded(loading as PartData[])
  return deadline.race(Promise.all(loading).then(toLoaded)) as Promise<LoadedData>
}

/** Runs the guards and getData of layouts around a fallback. */
export async function loadLayouts(layouts: Layout[], ctx: PageContext, deadline: Deadline): Promise<LoadedData> {
  await runGuards(layouts, ctx, deadline)
  return loadParts(layouts, ctx, deadline)
}

const toPart = ({ pattern, module }: Page): Part => ({ name: pattern.path, module })

function loadPart({ name, module }: Part, ctx: PageContext): PartData | Promise<PartData> {
  const { getData } = module
  const result = getData ? publishWork(CHANNELS.data, ctx.toMessage(name), () => getData(ctx)) : null
  // If another part fails first, this promise is never awaited.
  return isThenable(result) ? handleRejection(Promise.resolve(result).then(inspect)) : inspect(result)
}

const inspect = (data: unknown): PartData => ({ data, plain: inspectData(data) })

const toLoaded = (parts: PartData[]): LoadedData => ({
  data: parts.map(({ data }) => data),
  plain: parts.every(({ plain }) => plain)
})

/** Returns the title and tags of the page and its layouts. */
export function loadMeta(page: Pick<Page, 'file' | 'getMetas'>, ctx: PageContext): HeadMeta | Promise<HeadMeta> {
  if (page.getMetas.length === 0) return {}
  // If another one throws at once, this promise is never awaited.
  const metas = page.getMetas.map((getMeta) => handleIfPromise(getMeta(ctx)))
  const combine = (results: Meta[]) => checkMeta(page, ctx, results.length === 1 ? results[0]! : mergeMeta(results))
  return metas.some(isThenable) ? handleRejection(Promise.all(metas).then(combine)) : combine(metas as Meta[])
}

const handleIfPromise = <T>(value: T | Promise<T>) => (isThenable(value) ? handleRejection(value) : value)

/** @throws MetaUnsupported for a member that cannot be rendered, PageInvalid for a title or alike that is not text */
export function checkMeta({ file }: Pick<Page, 'file'>, { origin, server }: PageContext, meta: Meta): HeadMeta {
  try {
    const head = toHeadMeta(meta, { origin: origin + server.basePath, refuse: (member) => new MetaUnsupported(member) })
    checkHeadTexts(file, head)
    return head
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new PageInvalid(file, `getMeta returned a value that cannot be written: ${error.message}`)
  }
}
