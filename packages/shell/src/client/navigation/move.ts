import type { RouteRequest } from './load-route.ts'
import { findPage } from '../modules.ts'
import { readFormSubmission } from '../forms/form-submission.ts'

/** A navigation to another page, requested by a link, a form, the history or a script. */
export interface Move extends RouteRequest {
  /** `back`: the browser has already moved to another history entry. */
  kind: 'push' | 'replace' | 'back'
  /** Keeps scroll position and focus. */
  keepScroll?: boolean
  /** Shows the page as a view transition. */
  transition?: boolean
  /** Requested by the page itself: failures are not shown, and nothing is announced. */
  quiet?: boolean
  /** Shows an error of the server, although the navigation is quiet. */
  showsErrors?: boolean
  /** Fields of the sent form. */
  formData?: FormData
}

/** @param isShown whether an address is the shown page's */
export function toLinkMove(url: URL, { dataset }: HTMLAnchorElement, isShown: (url: URL) => boolean): Move {
  const again = isShown(url)
  return {
    kind: again || dataset.replace !== undefined ? 'replace' : 'push',
    url,
    fresh: again,
    keepScroll: dataset.keepScroll !== undefined,
    transition: dataset.transition !== undefined
  }
}

/**
 * @param isShown whether an address is the shown page's
 * @returns undefined if the browser handles the form
 */
export function toFormMove(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  isShown: (url: URL) => boolean
): Move | undefined {
  const submission = readFormSubmission(form, submitter)
  if (!submission) return undefined
  const { url, body } = submission
  const page = findPage(url.pathname)
  // Without an action, a route may have the address: routes have precedence over pages with parameters.
  if (body && (page === undefined || page === 'malformed' || !page.load || !page.hasAction)) return undefined
  const { replace, keepScroll } = form.dataset
  // The page after a POST is a new history entry, unless it is the shown page.
  const kind = replace !== undefined || (!body && isShown(url)) ? 'replace' : 'push'
  return { ...submission, kind, fresh: isShown(url), keepScroll: keepScroll !== undefined }
}
