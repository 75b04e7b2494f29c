import type { View } from '../view.tsx'
import { shared } from './shared.ts'

/** A page's context as far as its view knows it: the same on both sides. */
export function toViewContext({ payload, page, isArriving }: View): Record<string, unknown> {
  return {
    data: payload.data,
    head: payload.meta,
    params: payload.params,
    pathname: payload.pathname,
    layout: payload.layouts.at(-1),
    clientOnly: page?.clientOnly === true,
    serverOnly: false,
    streaming: payload.deadline !== undefined,
    // What was navigated to has been on its way.
    firstRender: isArriving === undefined,
    actionData: {}
  }
}

/** The same with what the document's pages share. */
export const toBrowserContext = (view: View): Record<string, unknown> => ({
  ...shared.names,
  ...toViewContext(view),
  state: shared.state
})
