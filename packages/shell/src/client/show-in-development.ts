import { captureOwnerStack } from 'react'
import { BROWSER_ERROR_EVENT, SERVER_ERROR_EVENT } from '@hull/common/constants.ts'
import { isDigest } from '@hull/common/digest.ts'

// Call these functions only if `import.meta.hot` is set, so that a build leaves them out. The code that
// packages/shell/src/build/development/overlay-plugin.ts adds to Vite's client listens.

/**
 * Shows an error in the terminal of the development server, and in the overlay of the browser.
 * @param componentStack the components around the error, innermost first; used if React does not know where the element
 * that failed was created
 */
export function showError(error: unknown, componentStack?: string | null): void {
  send(BROWSER_ERROR_EVENT, { error, componentStack: captureOwnerStack() ?? componentStack })
}

/** Shows an error of the server in the overlay. Answers, such as a redirect, have another `digest`. */
export function showServerError(digest: unknown): void {
  if (typeof digest === 'string' && isDigest(digest)) send(SERVER_ERROR_EVENT, digest)
}

const send = (name: string, detail: unknown) => dispatchEvent(new CustomEvent(name, { detail }))
