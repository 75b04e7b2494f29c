import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { DATA_PREFIX } from '@hull/common/constants.ts'
import { type DocumentMessage, DOCUMENTS, type ErrorMessage, ERRORS } from '@hull/common/channels.ts'
import { listAddresses } from '../../plugins/pages/sitemap.ts'
import { isDecodable } from '../../plugins/url-guard.ts'
import type { Page } from '../../render/site.ts'
import { CODEC_HEADER, type Codec, type ExportedData, toDataFile } from '../../routing/payload.ts'
import { toExportedDocument } from './document.ts'

/** Host of the requests without BASE_URL. It is in no document, unless a page writes its own origin. */
const NO_HOST = 'export.invalid'

/** Answered with 404, or by a page `client/pages/404.tsx`. */
const NOT_FOUND = '/404'

/** Matched by no page, also if a page with parameters matches {@link NOT_FOUND}. */
const NO_PAGE = '/404//'

/** Asked by the browser before it leaves a page whose navigation failed. */
const HEALTH = '/healthz'

export interface ExportOptions {
  /** Origin of the exported pages. @default none: no page may write its own origin */
  baseUrl?: string
  /** Paths to leave out, with everything below them. The path of a page with parameters is its pattern. */
  exclude: readonly string[]
  /** Paths of routes whose answers are written as files, such as `/sitemap.xml`. */
  include: readonly string[]
}

/** A file of the export: its path below the folder, decoded, and its content. */
export interface ExportedFile {
  path: string
  content: string | Buffer
}

/** An address that cannot be exported. */
export interface ExportProblem {
  address: string
  /** File of the page; undefined for anything else. */
  file?: string
  reason: string
}

type Result = { file: ExportedFile; problem?: undefined } | { file?: undefined; problem: ExportProblem }

/**
 * Requests everything that only needs the build, as a visitor without cookies, and yields files and problems. Changes
 * the pages of `app`, which must serve nothing else.
 */
export async function* exportPages(app: FastifyInstance, options: ExportOptions): AsyncGenerator<Result> {
  const { include } = options
  const exclude = options.exclude.map((path) => path.replace(/(?<=.)\/$/, ''))
  const { site } = app.pages
  const isExcluded = (path: string) => exclude.some((out) => path === out || path.startsWith(`${out}/`))
  const visitor = createVisitor(app, options)
  try {
    for await (const page of site.loadPages()) {
      const { path } = page.pattern
      if (isExcluded(path)) continue
      const reason = findObstacle(page)
      if (reason) {
        yield { problem: { address: path, file: page.file, reason } }
        continue
      }
      renderForAll(page)
      for await (const address of addressesOf(app, page)) if (!isExcluded(address)) yield* exportPage(address, page)
    }
    for (const path of [...include, HEALTH])
      yield await visitor.ask(path, { to: path, read: ({ rawPayload }) => rawPayload })
    const isOwn = site.patterns.some(({ path }) => path === NOT_FOUND)
    const asked = isOwn || site.match(NOT_FOUND) === undefined ? NOT_FOUND : NO_PAGE
    yield await visitor.ask(asked, { to: '/404.html', read: toExportedDocument, status: isOwn ? 200 : 404 })
  } finally {
    visitor.leave()
  }

  async function* exportPage(address: string, page: Page): AsyncGenerator<Result> {
    const { file, module } = page
    const match = site.match(address)
    if (match === undefined || match === 'malformed' || match.pattern !== page.pattern) {
      yield { problem: { address, file, reason: 'is an address of another page, or of none: correct `sitemap`' } }
      return
    }
    const to = `${address === '/' ? '' : address}/index.html`
    const document = await visitor.ask(address, { to, read: toExportedDocument, file })
    yield document
    // Without script, nothing asks for the data.
    if (document.problem || module.serverOnly) return
    yield await visitor.ask(DATA_PREFIX + address, { to: toDataFile(address), read: toData, file })
  }
}

/** Returns why no address of a page can be exported. */
function findObstacle({ module, layouts, isDynamic }: Page): string | undefined {
  const { action, guard, cache, sitemap } = module
  const guarded = layouts.find((layout) => layout.module.guard)
  if (guard || guarded) return `has a guard, in ${guard ? 'the page' : `the layout ${guarded!.name}`}`
  if (action) return 'has an action'
  if (cache?.vary?.length) return `depends on the request headers ${cache.vary.join(', ')}`
  if (isDynamic && typeof sitemap !== 'function')
    return 'has parameters: export a function `sitemap` that returns the addresses'
  return undefined
}

/**
 * Renders a page without a visitor, as pages with `cache`, so that it fails when it reads a visitor's data; and whole, so
 * that its status reports every failure.
 */
function renderForAll(page: Page): void {
  page.module = { ...page.module, cache: page.module.cache ?? { maxAge: 0 }, streaming: false }
}

async function* addressesOf(app: FastifyInstance, page: Page): AsyncGenerator<string> {
  if (!page.isDynamic) yield page.pattern.path
  else for await (const { path } of listAddresses(app, page)) yield path
}

interface Question {
  /** Address of the file. */
  to: string
  read: (answer: LightMyRequestResponse) => string | Buffer
  /** File of the page. */
  file?: string
  /** @default 200 */
  status?: number
}

/** Creates the visitor that requests the pages, one after the other. */
function createVisitor(app: FastifyInstance, { baseUrl }: ExportOptions) {
  const { protocol, host } = new URL(baseUrl ?? `http://${NO_HOST}`)
  const headers = { accept: 'text/html', 'x-forwarded-proto': protocol.slice(0, -1) }
  /** Errors behind an answer, which names a digest only. */
  const failures: unknown[] = []
  const note = (message: unknown) => {
    failures.push((message as ErrorMessage).error)
  }
  /** Markup for one visitor, such as the id of a trace. Called after the subscribers that add it. */
  const clearHead = (message: unknown) => {
    const document = message as DocumentMessage
    if (document.head !== undefined) document.head = ''
  }
  ERRORS.subscribe(note)
  DOCUMENTS.subscribe(clearHead)
  return { ask, leave }

  function leave(): void {
    ERRORS.unsubscribe(note)
    DOCUMENTS.unsubscribe(clearHead)
  }

  async function ask(address: string, { to, read, file, status = 200 }: Question): Promise<Result> {
    failures.length = 0
    const fail = (reason: string): Result => ({ problem: { address, file, reason } })
    const path = toFilePath(to)
    if (path === undefined)
      return fail(
        'is no name of a file: it has an encoded slash, a segment of dots, or a percent sign without two digits'
      )
    const answer = await app.inject({ url: app.basePath + address, authority: host, headers })
    const obstacle = findFault(answer, status)
    const [failure] = failures
    // A promise that rejects may leave the status as it is.
    if (failure instanceof Error) return fail(`failed: ${failure.message}`)
    if (obstacle) return fail(obstacle)
    const content = read(answer)
    if (baseUrl === undefined && content.includes(NO_HOST)) return fail('writes its own origin: set BASE_URL')
    return { file: { path, content } }
  }
}

/** Returns why an answer is not for all visitors. */
function findFault({ statusCode, headers }: LightMyRequestResponse, status: number): string | undefined {
  if (headers.location !== undefined) return `redirects to ${headers.location}`
  if (statusCode !== status) return `answers ${statusCode}`
  if (headers['set-cookie'] !== undefined) return 'sets a cookie'
  if (String(headers['content-security-policy']).includes("'nonce-"))
    return 'calls useNonce(): a file would have the same nonce for all visitors'
  return undefined
}

function toData({ headers, body }: LightMyRequestResponse): string {
  return JSON.stringify({ codec: headers[CODEC_HEADER] as Codec, payload: body } satisfies ExportedData)
}

/** Returns the path of a file, as a host finds it; undefined if a host would look for another file, or for none. */
function toFilePath(address: string): string | undefined {
  if (!isDecodable(address)) return undefined
  const segments = address.slice(1).split('/').map(decodeURIComponent)
  return segments.some((segment) => /[/\\\0]/.test(segment) || /^\.*$/.test(segment)) ? undefined : segments.join('/')
}
