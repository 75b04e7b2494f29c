import { BUILD_HEADER, PAYLOAD_ID, type Codec, type HeadMeta, type PagePayload } from '../routing/payload.ts'
import { readHead } from './head.ts'
import { decodePayload, ReceivedValues } from './payload.ts'
import { BadGateway, isGatewayError } from './reachable.ts'
import { within } from './timeout.ts'

/** A document of this build, read instead of loaded. */
export interface HtmlPage {
  /** Where it was in the end: a redirect may have led there. */
  url: URL
  /** What it hydrates from; undefined for one that has no script. */
  payload?: PagePayload
  html: string
  meta: HeadMeta
  /** Addresses of its stylesheets. */
  stylesheets: string[]
}

export interface HtmlRequest {
  url: URL
  build: string
  signal: AbortSignal
  /** Settles when the headers are late. */
  headersDue: Promise<unknown>
  /** Milliseconds for the body. */
  bodyTimeout: number
}

/**
 * Fetches the very address, as a document. Anything but HTML of this build is left at its headers.
 * @returns undefined for what must be opened as a document
 * @throws what fetch throws, BadGateway, or Overdue
 */
export async function askForHtml({
  url,
  build,
  signal,
  headersDue,
  bodyTimeout
}: HtmlRequest): Promise<HtmlPage | undefined> {
  const unread = new AbortController()
  const asked = fetch(url, {
    signal: AbortSignal.any([signal, unread.signal]),
    credentials: 'same-origin',
    headers: { accept: 'text/html' }
  })
  // Left behind when the headers are late.
  asked.catch(() => {})
  const response = await Promise.race([asked, headersDue.then(() => undefined)])
  if (!response || !isOurs(response, build)) {
    unread.abort()
    if (response && isGatewayError(response.status) && !response.headers.has(BUILD_HEADER))
      throw new BadGateway(`answered ${response.status}`)
    return undefined
  }
  const document = new DOMParser().parseFromString(await within(bodyTimeout, response.text()), 'text/html')
  const source = document.getElementById(PAYLOAD_ID)
  const final = new URL(response.url)
  if (!final.hash) final.hash = url.hash
  return {
    url: final,
    payload: source
      ? decodePayload(source.textContent, source.dataset.codec as Codec, new ReceivedValues())
      : undefined,
    html: document.getElementById('root')?.innerHTML ?? '',
    meta: readHead(document),
    stylesheets: [...document.head.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].map((link) =>
      link.getAttribute('href')!
    )
  }
}

function isOurs({ headers }: Response, build: string): boolean {
  return (
    headers.get(BUILD_HEADER) === build &&
    headers.get('content-type')?.startsWith('text/html') === true &&
    !headers.has('content-disposition')
  )
}

/** Adds the stylesheets that are not there yet. @returns when all of them have loaded, or failed */
export async function addStylesheets(hrefs: string[]): Promise<void> {
  const present = new Set(
    [...document.querySelectorAll('link[rel=stylesheet]')].map((link) => link.getAttribute('href'))
  )
  await Promise.all(
    hrefs
      .filter((href) => !present.has(href))
      .map((href) => {
        const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
        document.head.append(link)
        return new Promise((resolve) => {
          link.addEventListener('load', resolve)
          link.addEventListener('error', resolve)
        })
      })
  )
}
