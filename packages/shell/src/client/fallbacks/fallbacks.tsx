import type * as applicationFallbacks from 'hull:fallbacks'
import type { ComponentType } from 'react'
import type { PageOutcome } from '@hull/common/outcomes.ts'
import type { FallbackProps } from '../contracts/fallback.ts'

type Fallbacks = Pick<
  typeof applicationFallbacks,
  'ErrorFallback' | 'Unauthorized' | 'Forbidden' | 'NotFound' | 'errorSentence' | 'digestLine'
>

const NAMES = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound' } as const

/** The application's fallbacks, or the shell's own for those that are missing. */
export let fallbacks: Fallbacks

/**
 * Sets the fallbacks, before anything is rendered. Only the entries import them, so that no other file of the build has
 * a new name after a change of a fallback.
 * @see docs/decisions/096-framework-file.md
 */
export function setFallbacks(given: Fallbacks): void {
  fallbacks = given
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
  const Fallback = (status === 404 && View) || fallbacks[NAMES[status]]
  return <Fallback status={status} message={message} pathname={pathname} signInHref={signInHref} />
}
