import type { HydrationOptions } from 'react-dom/client'
import { isDigest } from '@hull/common/digest.ts'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { Boundary } from './fallbacks/boundary.tsx'
import { FallbackBoundary } from './fallbacks/fallback-boundary.tsx'
import { fallbacks } from './fallbacks/fallbacks.tsx'
import { logError, wasLogged } from './log-error.ts'
import { showServerError } from './show-in-development.ts'

/** Determines which of React's errors are reported. By default, React would report answers, and some errors twice. */
export const ROOT_OPTIONS: HydrationOptions = {
  /**
   * For errors in the application's own boundaries; the shell's boundaries report their own. Outcomes and redirects are
   * answers, not errors.
   */
  onCaughtError(error, { componentStack, errorBoundary }) {
    if (errorBoundary instanceof Boundary || errorBoundary instanceof FallbackBoundary) return
    if (isAnswer(error)) return
    console.error(error)
    logError(error, { componentStack, handled: true })
  },

  /** For errors that no boundary could show: React has emptied the root. */
  onUncaughtError(error, { componentStack }) {
    // First, because it has the stack: the browser's own event for the same error is then ignored.
    const digest = logError(error, { componentStack, handled: false })
    reportError(error)
    const alert = document.createElement('div')
    alert.setAttribute('role', 'alert')
    addLine(alert, fallbacks.errorSentence(location.hostname))
    if (digest) addLine(alert, fallbacks.digestLine(digest))
    document.getElementById('root')?.replaceChildren(alert)
  },

  /** For errors that React recovered from by rendering again. Its error has the original one as its cause. */
  onRecoverableError(error, { componentStack }) {
    const cause = (error as Error | null)?.cause
    // A boundary that showed the cause has logged it. React reports it again when the boundary renders without an
    // error.
    if (import.meta.hot) showServerError((error as { digest?: unknown } | null)?.digest)
    if (isOfServer(error) || isAnswer(error) || isAnswer(cause) || wasLogged(cause)) return
    logError(error, { componentStack, handled: true })
    reportError(error)
  }
}

const isAnswer = (error: unknown) => isOutcome(error) || isRedirect(error)

/**
 * Whether React created the error for a part that failed on the server, which has reported it. React copies the digest
 * that the server wrote: the shell's own, or the name of an answer (packages/shell/src/render/render-stream.ts).
 */
function isOfServer(error: unknown): boolean {
  const { digest } = (error ?? {}) as { digest?: unknown }
  return typeof digest === 'string' && (isDigest(digest) || digest === 'Outcome' || digest === 'Redirect')
}

function addLine(to: Element, text: string) {
  const line = document.createElement('p')
  line.textContent = text
  to.append(line)
}
