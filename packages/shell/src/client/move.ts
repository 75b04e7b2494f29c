import { opensOtherContext } from './clicks.ts'
import type { RouteRequest } from './load-route.ts'
import { findPage } from './modules.ts'

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
export function toLinkMove({ href, dataset }: HTMLAnchorElement, isShown: (url: URL) => boolean): Move {
  const url = new URL(href)
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
  const submission = readSubmission(form, submitter)
  if (!submission) return undefined
  const { url, body } = submission
  const page = findPage(url.pathname)
  if (body && (page === undefined || page === 'malformed' || !page.load)) return undefined
  const { replace, keepScroll } = form.dataset
  // The page after a POST is a new history entry, unless it is the shown page.
  const kind = replace !== undefined || (!body && isShown(url)) ? 'replace' : 'push'
  return { ...submission, kind, fresh: isShown(url), keepScroll: keepScroll !== undefined }
}

/** Target and data of a form submission. */
interface Submission {
  url: URL
  /** Posted data; undefined for a GET, whose fields are in the URL. */
  body?: FormData | URLSearchParams
  formData: FormData
}

/**
 * Reads the target and data of a form as the browser does (HTML, form submission algorithm).
 * @returns undefined if the browser handles the form: another origin or tab, a dialog, text/plain
 */
function readSubmission(form: HTMLFormElement, submitter: HTMLElement | null): Submission | undefined {
  const button = submitter as HTMLButtonElement | HTMLInputElement | null
  const setting = (name: 'action' | 'method' | 'enctype' | 'target') =>
    button?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? ''
  const method = setting('method').toLowerCase()
  const enctype = setting('enctype').toLowerCase()
  const url = new URL(setting('action') || location.href, document.baseURI)
  if (
    method === 'dialog' ||
    enctype === 'text/plain' ||
    opensOtherContext(setting('target')) ||
    url.origin !== location.origin ||
    form.dataset.document !== undefined
  )
    return undefined
  const formData = new FormData(form, button)
  if (method !== 'post') {
    url.search = toSearch(formData).toString()
    if (!setting('action')) url.hash = ''
    return { url, formData }
  }
  return { url, formData, body: enctype === 'multipart/form-data' ? formData : toSearch(formData) }
}

/** Converts fields to a query: a file becomes its name, and lines end with CRLF (HTML, constructing the entry list). */
function toSearch(formData: FormData): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of formData)
    search.append(name, (typeof value === 'string' ? value : value.name).replace(/\r\n?|\n/g, '\r\n'))
  return search
}
