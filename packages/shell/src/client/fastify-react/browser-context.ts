import type { View } from '../view/view.tsx'
import { shared } from './shared.ts'

/** Returns the part of a page's context that depends on its view; the same on both sides. */
export function toViewContext({ payload, page, isPending }: View): Record<string, unknown> {
  return {
    data: payload.data,
    head: payload.meta,
    params: payload.params,
    pathname: payload.pathname,
    layout: payload.layouts.at(-1),
    clientOnly: page?.clientOnly === true,
    serverOnly: false,
    streaming: payload.deadline !== undefined,
    // Undefined only for the document's first view.
    firstRender: isPending === undefined,
    actionData: {}
  }
}

/** Returns the same context with the values that the document's pages share. */
export const toBrowserContext = (view: View): Record<string, unknown> => ({
  ...shared.names,
  ...toViewContext(view),
  state: shared.state
})
