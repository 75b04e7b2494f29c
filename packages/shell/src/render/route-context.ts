import type { ContextModule } from '../client/contracts/context.ts'
import { CHANNELS } from '@hull/common/channels.ts'
import { publishWork } from '../server/publish.ts'
import type { Deadline } from './deadline.ts'
import type { PageContext } from './page-context.ts'
import type { Page } from './site.ts'

/**
 * Adds the exports of `client/context.ts` to a page's context: the state, the named exports, and the effects of the
 * default function.
 */
export async function openRouteContext(
  context: ContextModule | undefined,
  ctx: PageContext,
  deadline: Deadline
): Promise<void> {
  if (!context) return
  const { default: init, state, ...names } = context
  Object.assign(ctx, names)
  ctx.state = state?.()
  await deadline.race(init?.(ctx))
}

/** Runs a page's `onEnter` and adds its result to the data. */
export async function enterPage({ module, pattern }: Page, ctx: PageContext, deadline: Deadline): Promise<void> {
  const added = await publishWork(CHANNELS.enter, ctx.toMessage(pattern.path), () =>
    deadline.race(module.onEnter!(ctx))
  )
  if (typeof added === 'object' && added !== null) ctx.data = { ...(ctx.data as object | null), ...added }
}
