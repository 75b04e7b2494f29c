import type { BrowserShell } from '@hull/common/browser-shell.ts'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { documentUrl } from './navigation/document-load.ts'
import { subscribe } from './events.ts'
import { digestOf, isServerFailure } from './log-error.ts'
import { nameOfPath } from './modules.ts'
import { setNotices } from './navigation/notices.ts'

/**
 * The shell's interface for `client/browser.ts`, which receives it before the document is hydrated.
 * @see docs/navigation.md
 */
export const browserShell: BrowserShell = {
  subscribe,
  routeName: nameOfPath,
  documentUrl,
  digestOf,
  isExpected: (value) => isOutcome(value) || isRedirect(value) || isServerFailure(value),
  setNotices
}
