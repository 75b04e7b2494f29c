import { ROUTE_LOAD_TIMEOUT } from '@hull/common/constants.ts'
import type { PageOutcome } from '@hull/common/outcomes.ts'
import { fallbacks } from '../fallbacks/fallbacks.tsx'
import { findNonce } from '../../routing/nonce.ts'
import { withBasePath } from '../base-path.ts'
import type { KeptView } from './entries.ts'
import { isExported } from '../exported.ts'
import { findPage, loadPage, loadView } from '../modules.ts'
import { type Answer, requestPage } from '../page-data/page-data.ts'
import type { Prefetches } from './prefetches.ts'
import { toNotice } from './notices.ts'
import { BadGateway, isGatewayError } from './reachable.ts'
import { createRedirectLoop, MAX_REDIRECTS, redirectTarget } from './redirects.ts'
import type { Notice } from './status-line.ts'
import { withTimeout } from '../timeout.ts'
import { reloadsItself } from '../view/head.ts'

/**
 * Milliseconds for the page data to begin to arrive, or for a document's body: three times the server's own default
 * limit.
 */
const PAGE_DATA_TIMEOUT = 30_000

/** Milliseconds for a form to be sent and answered: the server's five minutes for a request, and as long as for data. */
const FORM_TIMEOUT = 300_000 + PAGE_DATA_TIMEOUT

/** Code of the server's answer if the address has no page data. */
const NO_PAGE = 'APP_NO_PAGE'

export interface RouteRequest {
  url: URL
  /** Form data for the page's action. */
  body?: FormData | URLSearchParams
  /** Requests new data instead of using prefetched data. */
  fresh?: boolean
}

/** A page with all that is loaded of it. */
export interface LoadedPage extends KeptView {
  url: URL
}

/** A page that a navigation has ended at. */
export interface ArrivedPage extends LoadedPage {
  kind: 'view'
  /** Whether it replaces the entry of the history: a redirect led to it. */
  replace: boolean
}

/** Result of a navigation. */
export type NavigationResult =
  | ArrivedPage
  /**
   * The browser must load the address: it is on another origin, belongs to another build (`isOutdated`), is not a page, or
   * needs a nonce.
   */
  | { kind: 'document'; url: URL; replace?: boolean; isFile?: boolean; isOutdated?: boolean }
  /** The page of the form stays, with a notice. */
  | ({ kind: 'unshowable' } & Notice)

type Step = Exclude<Answer, { kind: 'page' }> | NavigationResult

interface LoadRouteOptions {
  build: string
  prefetches: Prefetches
  signal: AbortSignal
  /** Called when the server has taken the form, with the address of the page that follows. */
  onAccepted: (to: URL) => void
}

interface StepOptions extends LoadRouteOptions {
  /**
   * Milliseconds left for scripts and stylesheets, counted from the click or from the answer to the form, including
   * redirects.
   */
  timeLeft: () => number
  /** Begins to count when a form is answered: sending it may take as long as its files are large. */
  restart: () => void
}

/**
 * Loads an address and follows redirects.
 * @throws errors of loading: the signal's reason, a network failure, BadGateway, a missing chunk, or TimeoutError
 * @throws RedirectError APP_REDIRECT_LOOP
 */
export async function loadRoute(request: RouteRequest, givenOptions: LoadRouteOptions): Promise<NavigationResult> {
  let begun = performance.now()
  const options: StepOptions = {
    ...givenOptions,
    timeLeft: () => ROUTE_LOAD_TIMEOUT - (performance.now() - begun),
    restart: () => {
      begun = performance.now()
    }
  }
  let { url, body, fresh } = request
  let replace = false
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const step = await loadStep({ url, body, fresh }, options)
    if (step.kind === 'view') {
      if (body && !step.view.payload.form) options.onAccepted(url)
      return { ...step, replace }
    }
    if (step.kind === 'document') return { ...step, replace }
    if (step.kind === 'unshowable') return step
    if (step.kind === 'unknown') {
      if (body) return toUnshowable(step)
      if (isGatewayError(step.status)) throw new BadGateway(step.status, step.detail)
      return { kind: 'document', url }
    }
    const to = redirectTarget(step.to, url)
    // The server never sends such a target. The browser loads the originally requested address.
    if (!to) return { kind: 'document', url: request.url }
    replace ||= step.replace
    if (to.origin !== url.origin) return { kind: 'document', url: to, replace }
    url = to
    // The form has changed data on the server.
    fresh ||= body !== undefined
    if (body) options.onAccepted(url)
    body = undefined
  }
  throw createRedirectLoop(url.pathname + url.search)
}

async function loadStep(
  { url, body, fresh }: RouteRequest,
  { build, prefetches, signal, timeLeft, restart }: StepOptions
): Promise<Step> {
  const page = findPage(url.pathname)
  if (page === 'malformed') return { kind: 'document', url }
  // The document was rendered without a nonce, and its policy cannot change.
  if (!body && page?.usesNonce && !findNonce()) return { kind: 'document', url }
  if (!body && !page?.load) return askForHtml()

  const isStatic = page?.isStatic === true && !body
  const requested = ask()
  const chunks = page ? withTimeout(timeLeft(), loadPage(page)) : undefined
  // The awaiting code reports errors of the chunks.
  chunks?.catch(() => {})
  // The server may take a form although the script of its page is missing.
  const answer = await (body ? requested : Promise.race([requested, failureOf(chunks)]))
  if (body) restart()
  if (answer.kind !== 'page') return answer
  const { payload, late, size } = answer
  // Keeps the page with the entered values. The build is irrelevant, because an error is the same in each.
  if (body && payload.error) return { kind: 'unshowable', sentence: toFailedSentence(payload.error.digest) }
  if (body && payload.outcome?.status === 401) return toSignInNotice(payload.outcome)
  if (payload.build !== build)
    return body
      ? { kind: 'unshowable', sentence: toNotice('form-outdated') }
      : { kind: 'document', url, isOutdated: true }
  if (!body && reloadsItself(payload.meta)) return { kind: 'document', url }
  // A route has precedence over a page with parameters at the same address.
  if (!body && payload.outcome?.code === NO_PAGE) return askForHtml()
  const [view] = await Promise.all([withTimeout(timeLeft(), loadView(payload, url.search)), chunks])
  return { kind: 'view', url, view, replace: false, late, size }

  async function askForHtml(): Promise<NavigationResult> {
    // Files have no header that names their build.
    if (isExported) return { kind: 'document', url }
    const { loadHtml } = await withTimeout(timeLeft(), import('./html-page.ts'))
    const html = await loadHtml({ url, build, signal, timeLeft, bodyTimeout: PAGE_DATA_TIMEOUT })
    return typeof html === 'object'
      ? { kind: 'view', replace: false, ...html }
      : { kind: 'document', url, isFile: html === 'file' }
  }

  function ask(): Promise<Answer> {
    const path = url.pathname + url.search
    const ahead = body || fresh ? undefined : prefetches.use(path)
    if (ahead) {
      signal.addEventListener('abort', () => {
        ahead.controller.abort()
      })
      return withTimeout(PAGE_DATA_TIMEOUT, ahead.answer)
    }
    // Static data serves later navigations too: a cancelled one must not cut it.
    const answer = requestPage({ path, signal: isStatic ? new AbortController().signal : signal, body })
    if (isStatic) prefetches.keep(path, { answer, controller: new AbortController(), isStatic: true })
    return withTimeout(body ? FORM_TIMEOUT : PAGE_DATA_TIMEOUT, answer)
  }
}

/** Returns a promise that rejects with the promise's error, and otherwise never settles. */
const failureOf = (promise: Promise<unknown> | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    promise?.catch(reject)
  })

/** Sentence for a failed action. The digest identifies the error in the server's log. */
const toFailedSentence = (digest?: string): string =>
  [toNotice('form-failed'), ...(digest ? [fallbacks.digestLine(digest)] : [])].join(' ')

/** Notice for a form that was sent after the visitor's session ended. */
const toSignInNotice = ({ signInHref }: PageOutcome): NavigationResult => ({
  kind: 'unshowable',
  sentence: toNotice('signed-out'),
  link: signInHref === undefined ? undefined : { href: withBasePath(signInHref), label: toNotice('sign-in') }
})

function toUnshowable({ status, detail, digest }: Extract<Answer, { kind: 'unknown' }>): NavigationResult {
  return {
    kind: 'unshowable',
    sentence:
      (digest && toFailedSentence(digest)) ?? detail ?? toNotice(status >= 500 ? 'form-refused' : 'form-unknown')
  }
}
