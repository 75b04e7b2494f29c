import { Component, type ErrorInfo, type ReactNode } from 'react'
import {
  ERROR_TITLE,
  isOutcome,
  isRedirect,
  OUTCOME_TITLES,
  toPageOutcome,
  type Outcome
} from '@hull/common/outcomes.ts'
import { fallbacks, OutcomeFallback } from './fallbacks.tsx'
import { isMissingChunk } from '../missing-chunk.ts'
import { followRedirect } from '../navigation/navigate.ts'
import { settleFocus } from '../navigation/scroll-focus.ts'
import { announce } from '../navigation/status-line.ts'
import { addTag, setTitle, toErrorTitle } from '../view/head.ts'
import { FallbackBoundary } from './fallback-boundary.tsx'
import { isServerFailure, logError } from '../log-error.ts'
import type { View } from '../view/view.tsx'

interface BoundaryProps {
  /** The shown view. Another value clears the error. */
  shown: View
  /** Index of the layout around this boundary; -1 outside of all layouts. */
  depth: number
  /** Requests the page's data again. */
  retry?: () => void
  children: ReactNode
}

interface BoundaryState {
  error: unknown
  failed: boolean
  digest?: string
  /** Whether the page's data is requested again, because the code of a lazy component is missing. */
  isRetried: boolean
  /** Whether an element had the focus, which the error may remove. */
  hadFocus: boolean
  /** Whether the layout's view failed too. */
  viewFailed: boolean
  shown: View
}

/** Errors of missing code for which the data was requested again. React keeps the error of a lazy component. */
const retried = new WeakSet<Error>()

/**
 * Surrounds every page, what a layout with views surrounds, and the whole application. Shows errors that components throw
 * in the browser, with the same fallback as the server's: the view of the nearest layout, or the application's own. The
 * layout outside stays mounted.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { ...UNFAILED, shown: this.props.shown }

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    const isRetried = isMissingChunk(error) && !retried.has(error)
    return { ...UNFAILED, error, failed: true, isRetried, hadFocus: document.activeElement !== document.body }
  }

  // Here instead of in componentDidUpdate, which would show the old error for one more commit.
  static getDerivedStateFromProps({ shown }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return shown === state.shown ? null : { ...UNFAILED, shown }
  }

  override componentDidCatch(thrown: unknown, { componentStack }: ErrorInfo): void {
    const { shown, retry } = this.props
    const { hadFocus } = this.state
    const { payload, search } = shown
    // After a deploy, the answer is of another build, and the document is loaded.
    if (this.state.isRetried) {
      retried.add(thrown as Error)
      return retry?.()
    }
    let error = thrown
    if (isRedirect(thrown)) {
      try {
        return followRedirect(thrown, payload.pathname + search)
      } catch (refusal) {
        error = refusal
      }
    }
    if (!isOutcome(error)) {
      console.error(error)
      const digest = logError(error, { componentStack: componentStack ?? undefined, handled: true })
      this.setState({ error, digest })
    }
    // After the page's own title and tags, which are set when the view is mounted.
    queueMicrotask(() => {
      setTitle(toErrorTitle(payload.meta, isOutcome(error) ? OUTCOME_TITLES[error.statusCode] : ERROR_TITLE))
      // The HTTP status is already sent; this is for robots that run scripts.
      addTag('meta', { name: 'robots', content: 'noindex' })
      announce(document.title)
      if (hadFocus) settleFocus(null, true)
    })
  }

  override render(): ReactNode {
    const { error, failed, isRetried, digest, shown, viewFailed } = this.state
    const { depth, retry } = this.props
    if (!failed) return this.props.children
    // The redirect is still being followed, or its refusal becomes an error.
    if (isRedirect(error) || isRetried) return null
    const name = isOutcome(error) ? (error.statusCode === 404 ? 'NotFoundView' : undefined) : 'ErrorView'
    const within = shown.layouts.slice(0, viewFailed ? depth : depth + 1)
    const nearest = name ? within.findLastIndex((layout) => layout[name]) : -1
    // The boundary inside that layout shows the error.
    if (nearest >= 0 && nearest < depth) throw error
    const views = within[nearest]
    const onFailed = views && (() => this.setState({ viewFailed: true }))
    const View = views?.ErrorView ?? fallbacks.ErrorFallback
    return (
      <FallbackBoundary key={String(viewFailed)} digest={digest} onFailed={onFailed}>
        {isOutcome(error) ? (
          <OutcomeFallback
            outcome={toShown(error, shown)}
            pathname={shown.payload.pathname}
            View={views?.NotFoundView}
          />
        ) : (
          <View
            host={location.hostname}
            digest={digest}
            side={isServerFailure(error) ? 'server' : 'client'}
            retry={isMissingChunk(error) ? reload : retry}
          />
        )}
      </FallbackBoundary>
    )
  }
}

const UNFAILED = {
  error: undefined,
  failed: false,
  isRetried: false,
  viewFailed: false,
  digest: undefined,
  hadFocus: false
}

/** Without a new document, the code would stay missing. */
const reload = () => location.reload()

/** Returns the same outcome as the server would. Uses the view's address: the window may still have the last page's. */
const toShown = (error: Outcome, { payload, search }: View) =>
  toPageOutcome(error, payload.signInPath, payload.pathname + search)
