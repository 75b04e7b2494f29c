import type { HydrationOptions } from 'react-dom/client'
import { digestLine, errorSentence } from '../fallbacks/error-text.ts'
import { isOutcome, isRedirect } from '../../lib/common/outcomes.ts'
import { isTold, tellError } from './tell-error.ts'

/** Which of the errors that React meets are told: by its own habit it would tell of answers, and of some errors twice. */
export const ROOT_OPTIONS: HydrationOptions = {
  /** What a boundary shows. An outcome or a redirect that ends there is an answer. */
  onCaughtError(error, { componentStack }) {
    if (isOutcome(error) || isRedirect(error)) return
    console.error(error)
    tellError({ error, componentStack, handled: true })
  },

  /** What no boundary could show, the fallbacks' own errors among it: React has emptied the root. */
  onUncaughtError(error, { componentStack }) {
    // First, and with the stack: what the browser then tells of the same error counts no more.
    tellError({ error, componentStack, handled: false })
    reportError(error)
    const alert = document.createElement('div')
    alert.setAttribute('role', 'alert')
    addLine(alert, errorSentence(location.hostname))
    if (isTold(error)) addLine(alert, digestLine(error.digest))
    document.getElementById('root')?.replaceChildren(alert)
  },

  /** What React got over by rendering anew. With a digest it happened on the server, which has told of it. */
  onRecoverableError(error, { componentStack }) {
    if (isTold(error)) return
    tellError({ error, componentStack, handled: true })
    reportError(error)
  }
}

function addLine(to: Element, text: string) {
  const line = document.createElement('p')
  line.textContent = text
  to.append(line)
}
