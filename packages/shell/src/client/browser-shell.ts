import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { documentUrl } from './document-url.ts'
import { subscribe } from './events.ts'
import { nameOfPath } from './modules.ts'
import { digestOf, isServerFailure } from './log-error.ts'

/**
 * The shell in the browser, as `client/browser.ts` gets it before the document is hydrated.
 * @see docs/navigation.md
 */
export const browserShell = {
  /** Adds a listener for navigations, prefetches and errors. @returns a function that removes it */
  subscribe,
  /** Pattern of the route at a path, such as `/items/[id]`; the same as on the server. */
  routeName: nameOfPath,
  /** The URL that the document was loaded from: `location` changes with each navigation. */
  documentUrl,
  /** The digest of an error: the same for each mention of the same object. */
  digestOf,
  /** Whether a thrown value needs no report: an outcome, a redirect, or an error that the server has reported. */
  isExpected: (value: unknown): boolean => isOutcome(value) || isRedirect(value) || isServerFailure(value)
}

export type BrowserShell = typeof browserShell
