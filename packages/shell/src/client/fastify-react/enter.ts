// Loaded if a page has an `onEnter` or the site a `client/context.ts`. Called before each page is shown.
import { proxy, useSnapshot } from 'valtio'
import { toHeadMeta } from '../../routing/head-meta.ts'
import { BASE_PATH } from '../base-path.ts'
import type { ContextModule, EnterCtx } from '../contracts/context.ts'
import type { PageModule } from '../contracts/page.ts'
import type { View } from '../view/view.tsx'
import { toBrowserContext } from './browser-context.ts'
import { shared } from './shared.ts'

const [context] = Object.values(import.meta.glob<ContextModule>('/context.{ts,js}', { eager: true }))

let opened: Promise<void> | undefined

/**
 * Prepares a view for showing: the first one with the document's state, others with the page's `onEnter`.
 * @throws errors of the page's or the context's function
 */
export async function enter(view: View, module: PageModule | null): Promise<void> {
  if (!opened) {
    if (view.page && view.payload.clientOnly) view.page.clientOnly = true
    return (opened = open(view))
  }
  await opened
  if (!module?.onEnter) return
  const ctx = { ...toBrowserContext(view), firstRender: false } as EnterCtx<() => object>
  const added: unknown = await module.onEnter(ctx)
  const { data, head } = ctx
  // A copy, because the payload may be kept for another visit.
  view.payload = {
    ...view.payload,
    data: isObject(added) ? { ...data, ...added } : data,
    meta: toHeadMeta(head, {
      origin: location.origin + BASE_PATH,
      refuse: (member) => new Error(`onEnter set head.${member}, which Hull does not write`)
    })
  }
  if (view.page) view.page.clientOnly = ctx.clientOnly
}

async function open(view: View): Promise<void> {
  if (!context) return
  const { default: init, state, ...names } = context
  shared.names = names
  const initial = view.payload.state ?? state?.()
  if (initial) {
    shared.state = proxy(initial)
    shared.useSnapshot = useSnapshot
  }
  const ctx = toBrowserContext(view)
  await init?.(ctx)
  // Values that the function has set are available to every page.
  const own = new Set([...Object.keys(toBrowserContext(view)), 'state', 'data', 'head'])
  for (const [name, value] of Object.entries(ctx)) if (!own.has(name)) shared.names[name] = value
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
