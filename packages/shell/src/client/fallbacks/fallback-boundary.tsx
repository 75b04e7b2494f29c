import { Component, type ErrorInfo, type ReactNode } from 'react'
import { fallbacks } from './fallbacks.tsx'
import { logError } from '../log-error.ts'

interface FallbackBoundaryProps {
  /** Digest of the error that the fallback shows. */
  digest?: string
  /** Shows another fallback if this one fails. @default a plain sentence is shown */
  onFailed?: () => void
  children: ReactNode
}

interface FallbackBoundaryState {
  failed: boolean
  digest?: string
}

/** Surrounds a fallback. If the fallback fails too, shows a plain sentence inside the layout, or calls `onFailed`. */
export class FallbackBoundary extends Component<FallbackBoundaryProps, FallbackBoundaryState> {
  override state: FallbackBoundaryState = { failed: false }

  static getDerivedStateFromError(): FallbackBoundaryState {
    return { failed: true }
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    console.error(error)
    this.setState({ digest: logError(error, { componentStack: componentStack ?? undefined, handled: true }) })
    this.props.onFailed?.()
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    if (this.props.onFailed) return null
    const digest = this.props.digest ?? this.state.digest
    return (
      <div role="alert">
        <h1>{fallbacks.errorSentence(location.hostname)}</h1>
        {digest && <p>{fallbacks.digestLine(digest)}</p>}
        <p>
          {/* An empty address is the current one. */}
          {/* oxlint-disable-next-line jsx-a11y/anchor-is-valid */}
          <a href="" data-document="">
            Try again
          </a>{' '}
          <a href="/" data-document="">
            Go to the home page
          </a>
        </p>
      </div>
    )
  }
}
