import { opensOtherContext } from '../navigation/clicks.ts'
import { resolveLink, shownAddress } from '../navigation/navigate.ts'

// Components import this file, so it must not import the list of pages.

/** Target and data of a form submission. */
export interface FormSubmission {
  url: URL
  /** Posted data; undefined for a GET, whose fields are in the URL. */
  body?: FormData | URLSearchParams
  formData: FormData
}

/**
 * Reads the target and data of a form as the browser does (HTML, form submission algorithm).
 * @returns undefined if the browser handles the form: another origin or tab, a dialog, text/plain
 */
export function readFormSubmission(form: HTMLFormElement, submitter: HTMLElement | null): FormSubmission | undefined {
  const setting = (name: Setting) => readSetting(form, submitter, name)
  const method = setting('method').toLowerCase()
  const enctype = setting('enctype').toLowerCase()
  const url = resolveLink(setting('action') || shownAddress())
  if (
    method === 'dialog' ||
    enctype === 'text/plain' ||
    opensOtherContext(setting('target')) ||
    url.origin !== location.origin ||
    form.dataset.document !== undefined
  )
    return undefined
  const formData = readFields(form, submitter)
  if (method !== 'post') {
    url.search = toSearch(formData).toString()
    if (!setting('action')) url.hash = ''
    return { url, formData }
  }
  return { url, formData, body: enctype === 'multipart/form-data' ? formData : toSearch(formData) }
}

/** Returns a form's fields, with that of the button. Chrome 111 leaves out the button. */
function readFields(form: HTMLFormElement, submitter: HTMLElement | null): FormData {
  const fields = new FormData(form, submitter)
  const { name, value, type } = (submitter ?? {}) as Partial<HTMLInputElement>
  // An image adds the clicked coordinates.
  if (name && type !== 'image' && !fields.getAll(name).includes(value!)) fields.append(name, value!)
  return fields
}

type Setting = 'action' | 'method' | 'enctype' | 'target'

/** Returns an attribute of the button, or of the form. */
const readSetting = (form: HTMLFormElement, submitter: HTMLElement | null, name: Setting): string =>
  submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? ''

/** Whether the form is posted in this tab. */
export const isPostedHere = (form: HTMLFormElement, submitter: HTMLElement | null): boolean =>
  readSetting(form, submitter, 'method').toLowerCase() === 'post' &&
  !opensOtherContext(readSetting(form, submitter, 'target'))

/** Converts fields to a query: a file becomes its name, and lines end with CRLF (HTML, constructing the entry list). */
function toSearch(formData: FormData): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of formData)
    search.append(name, (typeof value === 'string' ? value : value.name).replace(/\r\n?|\n/g, '\r\n'))
  return search
}
