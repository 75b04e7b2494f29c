import { ERROR_TITLE } from '@hull/common/outcomes.ts'
import { emptyPagePayload, type PageError } from '../routing/payload.ts'
import type { View } from './view.tsx'

/** The error page inside the layouts that are shown, for a navigation that failed in the browser. */
export function toErrorView(
  { pathname, search }: URL,
  { payload, layouts }: View,
  error: Omit<PageError, 'side'>
): View {
  return {
    payload: {
      ...emptyPagePayload(payload.build, pathname),
      layouts: payload.layouts,
      layoutData: payload.layoutData,
      meta: { title: ERROR_TITLE, robots: 'noindex' },
      error: { ...error, side: 'client' }
    },
    search,
    page: null,
    layouts
  }
}
