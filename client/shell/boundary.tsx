import { Component, type ReactNode } from 'react'
import {
  ERROR_TITLE,
  isOutcome,
  isRedirect,
  OUTCOME_TITLES,
  toPageOutcome,
  type Outcome,
  type Redirect
} from '../../lib/common/outcomes.ts'
import { toOwnPath, toWebUrl } from '../../lib/common/safe-url.ts'
import { ErrorFallback, OutcomeFallback } from './fallbacks.tsx'
import { addTag } from './head.ts'
import { navigate } from './navigate.ts'
import type { View } from './view.tsx'

interface BoundaryProps {
  /** What is shown: another value clears the error. */
  shown: View
  /** Asks the server for the page's data again. */
  retry?: () => void
  children: ReactNode
}

interface BoundaryState {
  error: unknown
  failed: boolean
  shown: View
}

/**
 * Stands around every page, and around the whole application: what a component throws in the browser ends here, as the
 * same fallback that the server would have sent. The layout outside stays alive.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, failed: false, shown: this.props.shown }

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error, failed: true }
  }

  // Here and not in componentDidUpdate, which would show the old error for one commit more.
  static getDerivedStateFromProps({ shown }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return shown === state.shown ? null : { error: undefined, failed: false, shown }
  }

  override componentDidCatch(error: unknown): void {
    if (isRedirect(error) && !leadsBack(error, this.props.shown)) {
      const own = toOwnPath(error.to)
      const href = own ?? (error.external ? toWebUrl(error.to) : undefined)
      if (own !== undefined) navigate(own, { replace: true })
      else if (href !== undefined) location.replace(href)
    } else {
      // Of a redirect nobody else tells.
      if (isRedirect(error)) console.error(error)
      // After the page's own title and tags, which are set when the view stands.
      queueMicrotask(() => {
        document.title = isOutcome(error) ? OUTCOME_TITLES[error.statusCode] : ERROR_TITLE
        // The status line is out; a robot that runs scripts is told here.
        addTag('meta', { name: 'robots', content: 'noindex' })
      })
    }
  }

  override render(): ReactNode {
    const { error, failed, shown } = this.state
    if (!failed) return this.props.children
    if (isRedirect(error) && !leadsBack(error, shown)) return null
    if (isOutcome(error)) return <OutcomeFallback outcome={toShown(error, shown)} pathname={shown.payload.pathname} />
    const digest =
      typeof error === 'object' && error !== null && 'digest' in error && typeof error.digest === 'string'
        ? error.digest
        : undefined
    return (
      <ErrorFallback
        host={location.hostname}
        digest={digest}
        side={digest ? 'server' : 'client'}
        retry={this.props.retry}
      />
    )
  }
}

/** What the server would have sent. The view tells the address: that of the window is still the one it leaves. */
const toShown = (error: Outcome, { payload, search }: View) =>
  toPageOutcome(error, payload.signInPath, payload.pathname + search)

/** A redirect of a page to itself would go on for ever. */
const leadsBack = ({ to }: Redirect, { payload, search }: View) =>
  toOwnPath(to)?.replace(/#.*/, '') === payload.pathname + search
