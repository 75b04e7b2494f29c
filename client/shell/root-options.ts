import type { HydrationOptions } from 'react-dom/client'
import { errorSentence } from '../fallbacks/error-text.ts'
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
    const sentence = document.createElement('p')
    sentence.setAttribute('role', 'alert')
    sentence.textContent = errorSentence(location.hostname)
    document.getElementById('root')?.replaceChildren(sentence)
  },

  /** What React got over by rendering anew. With a digest it happened on the server, which has told of it. */
  onRecoverableError(error, { componentStack }) {
    if (isTold(error)) return
    tellError({ error, componentStack, handled: true })
    reportError(error)
  }
}
