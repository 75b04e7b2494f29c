import { BUILD_HEADER, PAYLOAD_ID, type Codec, type HeadMeta, type PagePayload } from '../routing/payload.ts'
import { readHead } from './head.ts'
import { decodePayload, ReceivedValues } from './payload.ts'
import { BadGateway, isGatewayError } from './reachable.ts'
import { withTimeout } from './timeout.ts'

/** A document of this build that was fetched instead of loaded. */
export interface HtmlPage {
  /** Final address, after redirects. */
  url: URL
  /** Payload for hydration; undefined for a document without script. */
  payload?: PagePayload
  html: string
  meta: HeadMeta
  /** Addresses of the document's stylesheets. */
  stylesheets: string[]
}

export interface HtmlRequest {
  url: URL
  build: string
  signal: AbortSignal
  /** Settles if the headers take too long. */
  headersDue: Promise<unknown>
  /** Milliseconds for the body to arrive. */
  bodyTimeout: number
}

/**
 * Fetches an address as a document. Reads only the headers of anything but HTML of this build.
 * @returns undefined if the browser must load the address as a document
 * @throws errors of fetch, BadGateway, or TimeoutError
 */
export async function requestHtml({
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
  // Ignored if the headers take too long.
  asked.catch(() => {})
  const response = await Promise.race([asked, headersDue.then(() => undefined)])
  if (!response || !isOurs(response, build)) {
    unread.abort()
    if (response && isGatewayError(response.status) && !response.headers.has(BUILD_HEADER))
      throw new BadGateway(`answered ${response.status}`)
    return undefined
  }
  const document = new DOMParser().parseFromString(await withTimeout(bodyTimeout, response.text()), 'text/html')
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

/**
 * Adds the stylesheets that are missing.
 * @returns a promise that resolves when all of them have loaded or failed
 */
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
