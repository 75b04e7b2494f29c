import { isElsewhere } from './clicks.ts'

/** A form on its way. */
export interface Submission {
  url: URL
  /** What is posted; undefined for a GET, whose fields are in the URL. */
  body?: FormData | URLSearchParams
  formData: FormData
}

/**
 * What a form sends, and where, as the browser would (HTML, form submission algorithm).
 * @returns undefined for what is the browser's own: another origin or tab, a dialog, text/plain
 */
export function readSubmission(form: HTMLFormElement, submitter: HTMLElement | null): Submission | undefined {
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
