// Loaded at the first navigation to a page without script, or to an unknown address.
import { BUILD_HEADER, emptyPagePayload, PAYLOAD_ID, type Codec, type HeadMeta } from '../../routing/payload.ts'
import { findNonce, NONCE_PROPERTY } from '../../routing/nonce.ts'
import { withoutBasePath } from '../base-path.ts'
import { readAttributes } from '../view/head.ts'
import { loadView } from '../modules.ts'
import { decodePayload, ReceivedValues } from '../page-data/payload.ts'
import { BadGateway, isGatewayError } from './reachable.ts'
import { withTimeout } from '../timeout.ts'
import type { View } from '../view/view.tsx'

export interface HtmlRequest {
  url: URL
  build: string
  signal: AbortSignal
  /** Milliseconds left for the headers, and for scripts and stylesheets. */
  timeLeft: () => number
  /** Milliseconds for the body to arrive. */
  bodyTimeout: number
}

/**
 * Fetches an address as a document, to show it in place. Reads only the headers of anything but HTML of this build.
 * @returns the final address, the view, and the characters of its HTML; `document` or `file` if the browser must load the
 * address, and whether the page stays
 * @throws errors of fetch, BadGateway, or TimeoutError
 */
export async function loadHtml({
  url,
  build,
  signal,
  timeLeft,
  bodyTimeout
}: HtmlRequest): Promise<{ url: URL; view: View; size: number } | 'document' | 'file'> {
  const unread = new AbortController()
  const end = () => {
    unread.abort(signal.reason)
  }
  // Older browsers have no AbortSignal.any.
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  const asked = fetch(url, {
    signal: unread.signal,
    cache: 'no-cache',
    credentials: 'same-origin',
    headers: { accept: 'text/html' }
  })
  // Ignored if the headers take too long.
  asked.catch(() => {})
  const response = await Promise.race([asked, new Promise<void>((resolve) => setTimeout(resolve, timeLeft()))])
  if (!response || !isOurs(response, build)) {
    unread.abort()
    if (response && isGatewayError(response.status) && !response.headers.has(BUILD_HEADER))
      throw new BadGateway(response.status)
    return response && isFile(response) ? 'file' : 'document'
  }
  const page = new DOMParser().parseFromString(await withTimeout(bodyTimeout, response.text()), 'text/html')
  const final = new URL(response.url)
  if (!final.hash) final.hash = url.hash
  const root = page.getElementById('root')
  // The error page that needs no React.
  if (!root) return 'document'
  // A component of the page has called useNonce().
  if (page.querySelector(`meta[property=${NONCE_PROPERTY}]`) && !findNonce()) return 'document'
  if (page.querySelector('meta[http-equiv=refresh i]')) return 'document'
  // A script runs only in a document.
  if (!page.getElementById(PAYLOAD_ID) && root.querySelector('script[src]')) return 'document'
  const html = root.innerHTML
  const source = page.querySelector<HTMLElement>(`script#${PAYLOAD_ID}`)
  const payload = source && decodePayload(source.textContent, source.dataset.codec as Codec, new ReceivedValues())
  // The late values of a streamed document are in scripts, which only the document itself runs.
  if (payload?.deadline !== undefined) return 'document'
  return { url: final, view: await withTimeout(timeLeft(), showDocument()), size: html.length }

  async function showDocument(): Promise<View> {
    const { pathname, search } = final
    if (payload) return loadView(payload, search)
    await addStylesheets(page)
    const empty = { ...emptyPagePayload(build, withoutBasePath(pathname) ?? pathname), meta: readHead(page) }
    return { payload: empty, search, page: null, layouts: [], html }
  }
}

function isOurs({ headers }: Response, build: string): boolean {
  return (
    headers.get(BUILD_HEADER) === build &&
    headers.get('content-type')?.startsWith('text/html') === true &&
    !headers.has('content-disposition')
  )
}

/** Whether the browser saves the answer, or ignores it, and the page stays. */
const isFile = ({ status, headers }: Response) =>
  status === 204 || status === 205 || headers.get('content-disposition')?.startsWith('attachment') === true

/**
 * Adds the stylesheets of another document that are missing here.
 * @returns a promise that resolves when all of them have loaded or failed
 */
async function addStylesheets(page: Document): Promise<void> {
  const hrefs = ({ head }: Document) =>
    [...head.querySelectorAll('link[rel=stylesheet]')].map((link) => link.getAttribute('href')!)
  const present = new Set(hrefs(document))
  await Promise.all(
    hrefs(page)
      .filter((href) => !present.has(href))
      .map((href) => {
        const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
        document.head.append(link)
        return new Promise((resolve) => {
          link.onload = link.onerror = resolve
        })
      })
  )
}

/** Returns the title, tags and attributes of another document. */
function readHead({ title, head, documentElement, body }: Document): HeadMeta {
  const meta: HeadMeta = { title, html: readAttributes(documentElement), body: readAttributes(body) }
  for (const element of head.querySelectorAll('[data-head]')) {
    const content = element.getAttribute('content') ?? ''
    const name = element.getAttribute('name')
    if (name === 'description' || name === 'robots') meta[name] = content
    else
      (meta.tags ??= []).push([
        element.localName as 'meta',
        Object.fromEntries(element.getAttributeNames().map((key) => [key, element.getAttribute(key)!])),
        element.textContent
      ])
  }
  return meta
}
