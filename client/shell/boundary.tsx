import { Component, type ReactNode } from 'react'
import { isOutcome, isRedirect, type Outcome } from '../../lib/common/outcomes.ts'
import { toOwnPath, toWebUrl } from '../../lib/common/safe-url.ts'
import { ErrorFallback, OutcomeFallback } from './fallbacks.tsx'

interface BoundaryProps {
  /** What is shown: another value clears the error. */
  shown: unknown
  /** Asks the server for the page's data again. */
  retry?: () => void
  children: ReactNode
}

interface BoundaryState {
  error: unknown
  failed: boolean
  shown: unknown
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
    if (isRedirect(error)) {
      const href = error.external ? toWebUrl(error.to) : toOwnPath(error.to)
      if (href) location.replace(href)
    } else if (isOutcome(error)) {
      announceOutcome(error)
    }
  }

  override render(): ReactNode {
    const { error, failed } = this.state
    if (!failed) return this.props.children
    if (isRedirect(error)) return null
    if (isOutcome(error))
      return (
        <OutcomeFallback
          outcome={{ status: error.statusCode, code: error.code, message: error.message }}
          pathname={location.pathname}
        />
      )
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

/** The status line is out; a robot that runs scripts is told here. */
function announceOutcome({ statusCode }: Outcome) {
  if (statusCode !== 404) return
  const meta = document.createElement('meta')
  meta.name = 'robots'
  meta.content = 'noindex'
  document.head.append(meta)
}
