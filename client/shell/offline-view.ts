import { ERROR_TITLE } from '../../lib/common/outcomes.ts'
import { emptyPagePayload } from '../../lib/common/payload.ts'
import type { View } from './view.tsx'

/** The error page inside the layouts that stand already, for an address that could not be reached. */
export function toOfflineView({ pathname, search }: URL, { payload, layouts }: View): View {
  return {
    payload: {
      ...emptyPagePayload(payload.build, pathname),
      layouts: payload.layouts,
      layoutData: payload.layoutData,
      meta: { title: ERROR_TITLE, robots: 'noindex' },
      error: { side: 'client', offline: true }
    },
    search,
    page: null,
    layouts
  }
}
