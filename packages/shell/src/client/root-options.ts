import { digestLine, errorSentence } from 'hull:fallbacks'
import type { HydrationOptions } from 'react-dom/client'
import { isDigest } from '@hull/common/digest.ts'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { Boundary } from './boundary.tsx'
import { LastResort } from './last-resort.tsx'
import { logError, wasLogged } from './log-error.ts'

/** Which of the errors that React meets are reported: by itself it would report answers, and some errors twice. */
export const ROOT_OPTIONS: HydrationOptions = {
  /** What a boundary of the team's shows; the shell's own report for themselves. An outcome or a redirect is an answer. */
  onCaughtError(error, { componentStack, errorBoundary }) {
    if (errorBoundary instanceof Boundary || errorBoundary instanceof LastResort) return
    if (isAnswer(error)) return
    console.error(error)
    logError(error, { componentStack, handled: true })
  },

  /** What no boundary could show: React has emptied the root. */
  onUncaughtError(error, { componentStack }) {
    // First, and with the stack: what the browser then tells of the same error counts no more.
    const digest = logError(error, { componentStack, handled: false })
    reportError(error)
    const alert = document.createElement('div')
    alert.setAttribute('role', 'alert')
    addLine(alert, errorSentence(location.hostname))
    if (digest) addLine(alert, digestLine(digest))
    document.getElementById('root')?.replaceChildren(alert)
  },

  /** What React got over by rendering again; React's own error has it as its cause. */
  onRecoverableError(error, { componentStack }) {
    const cause = (error as Error | null)?.cause
    // A boundary that showed the cause has told it; React comes back to it when the boundary renders without an error.
    if (isOfServer(error) || isAnswer(error) || isAnswer(cause) || wasLogged(cause)) return
    logError(error, { componentStack, handled: true })
    reportError(error)
  }
}

const isAnswer = (error: unknown) => isOutcome(error) || isRedirect(error)

/**
 * Whether React made the error for a part that failed on the server, which has reported it. React copies the digest that
 * the server wrote: one of ours, or the name of an answer (packages/shell/src/render/render-stream.ts).
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
