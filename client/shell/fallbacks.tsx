import type { PageOutcome } from '../../lib/common/payload.ts'
import type { OutcomeStatus } from '../../lib/common/outcomes.ts'
import ErrorFallback from '../fallbacks/error.tsx'
import Forbidden from '../fallbacks/forbidden.tsx'
import NotFound from '../fallbacks/not-found.tsx'
import Unauthorized from '../fallbacks/unauthorized.tsx'
import type { FallbackProps } from './contract.ts'

export { ErrorFallback }

const FALLBACKS: Record<OutcomeStatus, (props: FallbackProps) => React.ReactNode> = {
  401: Unauthorized,
  403: Forbidden,
  404: NotFound
}

export interface OutcomeFallbackProps {
  outcome: PageOutcome
  pathname: string
}

/** The team's component for an outcome, in place of the page. */
export function OutcomeFallback({ outcome: { status, message, signInHref }, pathname }: OutcomeFallbackProps) {
  const Fallback = FALLBACKS[status]
  return <Fallback status={status} message={message} pathname={pathname} signInHref={signInHref} />
}
