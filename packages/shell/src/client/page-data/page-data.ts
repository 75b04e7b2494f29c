import { DATA_PREFIX } from '@hull/common/constants.ts'
import { pathOf } from '@hull/common/http/request.ts'
import {
  CODEC_HEADER,
  FETCHER_HEADER,
  toDataFile,
  type Codec,
  type ExportedData,
  type PagePayload,
  type PageProblem
} from '../../routing/payload.ts'
import { BASE_PATH } from '../base-path.ts'
import { isExported } from '../exported.ts'
import { decodePayload, ReceivedValues, settleLine } from './payload.ts'
import { showServerError } from '../show-in-development.ts'

/** The server's answer to a navigation. */
export type Answer =
  | { kind: 'page'; payload: PagePayload; late: ReceivedValues; status: number; size: number }
  | { kind: 'redirect'; to: string; replace: boolean }
  /** An answer that cannot be shown. `detail` is a refusal's message and `digest` an error's digest, if present. */
  | { kind: 'unknown'; status: number; detail?: string; digest?: string }

export interface PageRequest {
  /** Path and query of the page, as in the address bar. */
  path: string
  signal: AbortSignal
  /** Data for the page's action; without it, the page's data is requested. */
  body?: FormData | URLSearchParams
  /** Requests the result of the action instead of the page that follows. */
  isFetcher?: boolean
  /** @default 'auto' */
  priority?: RequestPriority
}

/**
 * Requests a page's data from its page-data address, or posts to its action.
 * @returns the answer when the payload has arrived; late values may follow
 * @throws errors of fetch: the signal's reason, or a TypeError without an answer
 */
export async function requestPage({ path, signal, body, isFetcher, priority }: PageRequest): Promise<Answer> {
  const response = await fetch(body ? withinOrigin(path) : toDataAddress(path), {
    method: body ? 'POST' : 'GET',
    body,
    signal,
    priority,
    // Browsers obey the `stale-while-revalidate` of a page with `cache`, and would show data from before a change.
    cache: 'no-cache',
    credentials: 'same-origin',
    headers: { accept: 'application/json', ...(isFetcher && { [FETCHER_HEADER]: '1' }) }
  })
  const type = response.headers.get('content-type') ?? ''
  const codec = response.headers.get(CODEC_HEADER) as Codec | null
  try {
    if (type.startsWith('application/json'))
      return codec ? await readPayload(response, codec) : readAnswer(await response.json(), response)
    if (type.startsWith('application/problem+json')) return readAnswer(await response.json(), response)
  } catch (error) {
    if (signal.aborted || !(error instanceof SyntaxError)) throw error
  }
  // Cancels the unread rest.
  void response.body?.cancel().catch(() => {})
  return { kind: 'unknown', status: response.status }
}

/** Two slashes at the beginning would be followed by another host. */
const withinOrigin = (path: string) => (path.startsWith('//') ? `/.${path}` : path)

/** A query has no file of its own. The home page also has the address of the base path without a slash. */
function toDataAddress(path: string): string {
  const own = path.slice(BASE_PATH.length)
  const rooted = own.startsWith('/') ? own : `/${own}`
  return BASE_PATH + (isExported ? toDataFile(pathOf(rooted)) : DATA_PREFIX + rooted)
}

/**
 * Reads the payload from the first line. Each further line is a late value, which arrives when it is settled. Only a
 * stream is read in chunks: Chromium's tools list each response that was read in chunks as cancelled.
 */
async function readPayload(response: Response, codec: Codec): Promise<Answer> {
  const late = new ReceivedValues()
  if (codec !== 'stream') {
    const page = toPage(await response.text(), { codec, late, response })
    late.abandon()
    return page
  }
  const lines = readLines(response.body!)
  const { value: first = '' } = await lines.next()
  const page = toPage(first, { codec, late, response })
  void (async () => {
    try {
      for await (const line of lines) settleLine(line, late)
    } finally {
      late.abandon()
    }
  })().catch(() => {})
  return page
}

/** Reads a redirect, a problem with or without a page, or the page data of an export. */
function readAnswer(answer: unknown, response: Response): Answer {
  const { payload, codec, redirect, replace, ...rest } = (answer ?? {}) as Partial<
    PageProblem & ExportedData & Record<'detail' | 'digest' | 'redirect' | 'replace', unknown>
  >
  if (typeof redirect === 'string') return { kind: 'redirect', to: redirect, replace: replace === true }
  if (import.meta.hot) showServerError(rest.digest)
  if (typeof payload !== 'string' || !codec) {
    const [detail, digest] = [rest.detail, rest.digest].map((text) => (typeof text === 'string' ? text : undefined))
    return { kind: 'unknown', status: response.status, detail, digest }
  }
  return toPage(payload, { codec, late: new ReceivedValues(), response })
}

function toPage(
  text: string,
  { codec, late, response: { status } }: { codec: Codec; late: ReceivedValues; response: Response }
): Answer {
  const payload: unknown = decode(text, codec, late)
  return isPayload(payload) ? { kind: 'page', payload, late, status, size: text.length } : { kind: 'unknown', status }
}

/** Returns undefined if the text is not a payload. */
function decode(text: string, codec: Codec, late: ReceivedValues): unknown {
  try {
    return decodePayload(text, codec, late)
  } catch {
    return undefined
  }
}

/** Checks the parts of a payload that are read before the page's own code runs. */
function isPayload(value: unknown): value is PagePayload {
  if (typeof value !== 'object' || value === null) return false
  const { build, page, pathname, params, layouts, layoutData, meta } = value as Partial<PagePayload>
  return (
    typeof build === 'string' &&
    (page === null || typeof page === 'string') &&
    typeof pathname === 'string' &&
    isObject(params) &&
    isObject(meta) &&
    Array.isArray(layouts) &&
    Array.isArray(layoutData) &&
    layoutData.length === layouts.length
  )
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const lines = (rest + value).split('\n')
    rest = lines.pop()!
    yield* lines
  }
  if (rest) yield rest
}
