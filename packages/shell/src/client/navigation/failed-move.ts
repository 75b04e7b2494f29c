import { ERROR_TITLE } from '@hull/common/outcomes.ts'
import { emptyPagePayload, type PageError } from '../../routing/payload.ts'
import { withoutBasePath } from '../base-path.ts'
import { logError } from '../log-error.ts'
import type { Move } from './move.ts'
import { toErrorTitle } from '../view/head.ts'
import { toNotice } from './notices.ts'
import { BadGateway, isReachable } from './reachable.ts'
import { RedirectError } from './redirects.ts'
import type { View } from '../view/view.tsx'

export type ClientError = Omit<PageError, 'side'>

/** Reaction to a failed navigation: show an error, show a sentence, or load the document. */
type FailureAction = { error: ClientError } | { sentence: string } | { document: true }

/** Chooses the reaction to a failed navigation. Checks whether the server answers if the failure is unknown. */
export async function chooseFailureAction({ body, formData }: Move, error: unknown): Promise<FailureAction> {
  if (error instanceof RedirectError) {
    console.error(error)
    return { error: { digest: logError(error, { handled: true }) } }
  }
  // A document would be a further request to a server that has too many.
  if (error instanceof BadGateway && error.refusal !== undefined)
    return formData ? { sentence: error.refusal } : { error: { message: error.refusal } }
  const isOffline = !navigator.onLine
  const isDown = !body && (isOffline || !(await isReachable()))
  // The form and its fields stay on the page.
  if (body || (formData && isDown)) return { sentence: toNotice('form-unsent') }
  if (isDown) return { error: isOffline ? { offline: true } : { unreachable: true } }
  return { document: true }
}

/** Returns a view of the error page inside the shown layouts, up to the innermost with an error view. */
export function toErrorView({ pathname, search }: URL, { payload, layouts }: View, error: ClientError): View {
  const { template, html, body } = payload.meta
  const end = layouts.findLastIndex((layout) => layout.ErrorView) + 1 || layouts.length
  return {
    payload: {
      ...emptyPagePayload(payload.build, withoutBasePath(pathname) ?? pathname),
      layouts: payload.layouts.slice(0, end),
      layoutData: payload.layoutData.slice(0, end),
      meta: { title: toErrorTitle(payload.meta, ERROR_TITLE), template, html, body, robots: 'noindex' },
      error: { ...error, side: 'client' }
    },
    search,
    page: null,
    layouts: layouts.slice(0, end)
  }
}
