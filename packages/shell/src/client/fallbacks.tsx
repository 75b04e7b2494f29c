import { ErrorFallback, Forbidden, NotFound, Unauthorized } from 'hull:fallbacks'
import type { ComponentType } from 'react'
import type { OutcomeStatus, PageOutcome } from '@hull/common/outcomes.ts'
import type { FallbackProps } from './fallback-contract.ts'

export { ErrorFallback }

const FALLBACKS: Record<OutcomeStatus, ComponentType<FallbackProps>> = {
  401: Unauthorized,
  403: Forbidden,
  404: NotFound
}

export interface OutcomeFallbackProps {
  outcome: PageOutcome
  pathname: string
  /** Shows a 404. @default the application's component */
  View?: ComponentType<FallbackProps>
}

/** Shows an outcome instead of the page, with the application's component or the shell's own. */
export function OutcomeFallback({ outcome, pathname, View }: OutcomeFallbackProps) {
  const { status, message, signInHref } = outcome
  const Fallback = (status === 404 && View) || FALLBACKS[status]
  return <Fallback status={status} message={message} pathname={pathname} signInHref={signInHref} />
}
