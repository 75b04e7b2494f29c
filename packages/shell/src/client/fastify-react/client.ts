// What pages and layouts import as @fastify/react/client.
import { use } from 'react'
import type { Ctx } from '../contract.ts'
import { ShownView } from '../route.ts'
import type { View } from '../view.tsx'
import { toBrowserContext, toViewContext } from './browser-context.ts'
import { shared } from './shared.ts'

/** Whether this is the server. */
export const isServer: boolean = import.meta.env.SSR

/** The context of the page shown, anywhere below a page or a layout, on both sides. */
export function useRouteContext(): Record<string, unknown> {
  const view = use(ShownView)
  if (!view) throw new Error('useRouteContext() is for components below a page or a layout')
  if (import.meta.env.SSR) return toServerContext(view)
  const context = toBrowserContext(view)
  // Once and for all of the document: there is a state, or there is none.
  // oxlint-disable-next-line react/rules-of-hooks
  if (shared.state) context.snapshot = shared.useSnapshot!(shared.state)
  return context
}

/** What belongs to the request is read when it is asked for: on a stored page it is an error. */
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
