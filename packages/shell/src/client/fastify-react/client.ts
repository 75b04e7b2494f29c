// Exports for pages and layouts that import @fastify/react/client.
import { use } from 'react'
import type { Ctx } from '../contracts/context.ts'
import { ShownView } from '../view/route.ts'
import type { View } from '../view/view.tsx'
import { toBrowserContext, toViewContext } from './browser-context.ts'
import { shared } from './shared.ts'

/** True on the server. */
export const isServer: boolean = import.meta.env.SSR

/** Returns the shown page's context, in any component of a page or layout, on both sides. */
export function useRouteContext(): Record<string, unknown> {
  const view = use(ShownView)
  if (!view) throw new Error('useRouteContext() is for components below a page or a layout')
  if (import.meta.env.SSR) return toServerContext(view)
  const context = toBrowserContext(view)
  // Constant within a document: the state either exists or does not.
  // oxlint-disable-next-line react/rules-of-hooks
  if (shared.state) context.snapshot = shared.useSnapshot!(shared.state)
  return context
}

/** Reads the request's values lazily, because reading them on a stored page is an error. */
function toServerContext(view: View): Record<string, unknown> {
  const ctx = view.context as Partial<Ctx> | undefined
  return {
    ...toViewContext(view),
    ...ctx,
    snapshot: ctx?.state as unknown,
    get server() {
      return ctx?.server
    },
    get req() {
      return ctx?.req
    },
    get reply() {
      return ctx?.reply
    }
  }
}
