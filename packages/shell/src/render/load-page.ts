import type { Meta, PageModule } from '../client/contract.ts'
import { forbidden } from '@hull/common/outcomes.ts'
import { toHeadMeta } from '../routing/head-meta.ts'
import type { HeadMeta } from '../routing/payload.ts'
import { MetaUnsupported } from '../errors.ts'
import { checkHeadTexts } from './check-page.ts'
import { CHANNELS, publishWork } from '../server/channels.ts'
import type { PageContext } from './page-context.ts'
import type { Deadline } from './deadline.ts'
import { isThenable } from '@hull/common/is-thenable.ts'
import { handleRejection } from '../server/handled-promise.ts'
import { inspectData } from './inspect-data.ts'
import type { Layout, Page } from './site.ts'

/** A page, or layouts around something that is none. */
type Frame = Pick<Page, 'module' | 'layouts'> & Partial<Pick<Page, 'pattern'>>

/** A page or layout with what it may export. */
interface Part {
  name: string
  module: Pick<PageModule, 'guard' | 'getData'>
}

/**
 * Runs the guards that hold for a page, outermost layout first, each after the one before.
 * A guard refuses by throwing; returning false is read as a refusal too.
 */
export async function guardPage(frame: Frame, ctx: PageContext, deadline: Deadline): Promise<void> {
  for (const { name, module } of [...frame.layouts, toPart(frame)]) {
    const { guard } = module
    if (guard && (await publishWork(CHANNELS.guard, ctx.toMessage(name), () => deadline.within(guard(ctx)))) === false)
      forbidden()
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
export function loadData(frame: Frame, ctx: PageContext, deadline: Deadline): LoadedData | Promise<LoadedData> {
  const parts = [toPart(frame), ...frame.layouts].map((part) => loadPart(part, ctx))
  if (!parts.some(isThenable)) return toLoaded(parts as PartData[])
  return deadline.within(Promise.all(parts).then(toLoaded)) as Promise<LoadedData>
}

/** What a layout's frame needs around a fallback: its guards and its data. */
export async function loadLayouts(layouts: Layout[], ctx: PageContext, deadline: Deadline): Promise<LoadedData> {
  const frame = { module: { default: () => null }, layouts }
  await guardPage(frame, ctx, deadline)
  return loadData(frame, ctx, deadline)
}

/** The page among its layouts, under the name its spans have. */
const toPart = ({ pattern, module }: Frame): Part => ({ name: pattern?.path ?? '', module })

function loadPart({ name, module }: Part, ctx: PageContext): PartData | Promise<PartData> {
  const { getData } = module
  const result = getData ? publishWork(CHANNELS.data, ctx.toMessage(name), () => getData(ctx)) : null
  // Another part may fail first: then nobody waits for this one.
  return isThenable(result) ? handleRejection(Promise.resolve(result).then(inspect)) : inspect(result)
}

const inspect = (data: unknown): PartData => ({ data, plain: inspectData(data) })

function toLoaded(parts: PartData[]): LoadedData {
  const [data, ...layoutData] = parts.map((part) => part.data)
  return { data, layoutData, plain: parts.every((part) => part.plain) }
}

/** The page's title and tags. */
export function loadMeta(page: Page, ctx: PageContext): HeadMeta | Promise<HeadMeta> {
  const meta = page.module.getMeta?.(ctx)
  if (meta === undefined) return {}
  const check = (result: Meta) => checkMeta(page, result)
  return isThenable(meta) ? handleRejection(Promise.resolve(meta).then(check)) : check(meta)
}

/** @throws MetaUnsupported for a member that is not written, PageInvalid for a title and the like that are not text */
export function checkMeta({ file }: Page, meta: Meta): HeadMeta {
  const head = toHeadMeta(meta, (member) => new MetaUnsupported(member))
  checkHeadTexts(file, head)
  return head
}
