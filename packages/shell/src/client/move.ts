import { isElsewhere } from './clicks.ts'
import type { Journey } from './load-route.ts'
import { findPage } from './modules.ts'

/** A navigation from the page shown to another, as a link, a form, the history or a script asks for it. */
export interface Move extends Journey {
  /** `back`: the browser has moved to another entry of its history already. */
  kind: 'push' | 'replace' | 'back'
  /** Leave scroll and focus alone. */
  keepScroll?: boolean
  /** As a view transition. */
  transition?: boolean
  /** Asked for by the page itself: what fails is not shown, and nothing is announced. */
  quiet?: boolean
  /** A quiet one after which an error of the server is shown all the same. */
  showsErrors?: boolean
  /** Fields of the form that is sent. */
  formData?: FormData
}

/** @param isShown whether an address is that of the page shown */
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
 * @param isShown whether an address is that of the page shown
 * @returns undefined for what the browser does by itself
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
  // What a POST leads to is a step of its own, unless that is the page shown.
  const kind = replace !== undefined || (!body && isShown(url)) ? 'replace' : 'push'
  return { ...submission, kind, fresh: isShown(url), keepScroll: keepScroll !== undefined }
}

/** What a form sends. */
interface Submission {
  url: URL
  /** What is posted; undefined for a GET, whose fields are in the URL. */
  body?: FormData | URLSearchParams
  formData: FormData
}

/**
 * What a form sends, and where, as the browser would (HTML, form submission algorithm).
 * @returns undefined for what is the browser's own: another origin or tab, a dialog, text/plain
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
    isElsewhere(setting('target')) ||
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

/** Fields as a query has them: a file is its name, and a line ends with CRLF (HTML, constructing the entry list). */
function toSearch(formData: FormData): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of formData)
    search.append(name, (typeof value === 'string' ? value : value.name).replace(/\r\n?|\n/g, '\r\n'))
  return search
}
