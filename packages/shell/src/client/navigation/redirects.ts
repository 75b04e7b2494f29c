import { withBasePath } from '../base-path.ts'
import { toOwnPath, toWebUrl } from '@hull/common/safe-url.ts'

/** Maximum redirects in a row. More are a loop. A guess: fetch allows 20, and a legitimate chain has two or three. */
export const MAX_REDIRECTS = 10

/** Milliseconds after which a shown page ends the chain. A guess: a page in a loop redirects immediately. */
const STAY_TIME = 1_000

/**
 * Milliseconds within which the next document continues the chain. A guess: three times the maximum duration of a
 * render.
 */
const DOCUMENT_TIME = 30_000

/** Key of the chain in sessionStorage. */
const STORAGE_KEY = 'hull:redirects'

/** Events that only a visitor causes. */
const VISITOR_EVENTS = ['pointerdown', 'keydown', 'input', 'wheel', 'touchmove', 'popstate', 'pageshow'] as const

/**
 * Number of consecutive redirects by components and calls of `navigate()`, without an action of the visitor and without
 * a page that stayed. The chain continues in the documents that it loads.
 */
let count = readCount()
let timer: ReturnType<typeof setTimeout> | undefined

/** Starts listening to the visitor's actions. Called once, when the document's page is mounted. */
export function watchVisitor(): void {
  const options = { capture: true, passive: true }
  for (const type of VISITOR_EVENTS)
    addEventListener(
      type,
      (event) => {
        if (event.isTrusted && (!(event instanceof PageTransitionEvent) || event.persisted)) endChain()
      },
      options
    )
  addEventListener('pointermove', ({ isTrusted, buttons }) => isTrusted && buttons > 0 && endChain(), options)
}

/**
 * Counts a redirect by the page itself.
 * @throws RedirectError APP_REDIRECT_LOOP if the chain is too long; all further redirects are refused until the visitor
 * acts
 */
export function countRedirect(to: string): void {
  clearTimeout(timer)
  if (count >= MAX_REDIRECTS) {
    // A reload is the visitor's action, so it starts a new chain.
    writeCount(0)
    throw createRedirectLoop(to)
  }
  writeCount(++count)
}

/** Ends the chain if the shown page stays. Called when no navigation is pending. */
export function endChainIfPageStays(): void {
  clearTimeout(timer)
  if (count > 0) timer = setTimeout(endChain, STAY_TIME)
}

function endChain() {
  clearTimeout(timer)
  if (count > 0) writeCount((count = 0))
}

function readCount(): number {
  try {
    const [stored, at] = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]') as unknown[]
    return typeof stored === 'number' && Date.now() - Number(at) < DOCUMENT_TIME ? stored : 0
  } catch {
    return 0
  }
}

function writeCount(value: number) {
  try {
    if (value > 0) sessionStorage.setItem(STORAGE_KEY, JSON.stringify([value, Date.now()]))
    else sessionStorage.removeItem(STORAGE_KEY)
  } catch {
    // Storage is disabled or full: the chain ends with its document.
  }
}

/** Codes of refused redirects, explained in docs/errors.md. */
type RedirectErrorCode = 'APP_REDIRECT_UNSAFE' | 'APP_REDIRECT_LOOP'

/** A redirect that the browser refuses. Its name is its code, and also the type of its event. */
export class RedirectError extends Error {
  override readonly name: RedirectErrorCode

  constructor(code: RedirectErrorCode, message: string) {
    super(message)
    this.name = code
  }
}

/** Creates the error for a redirect to another origin without `external`, or to an address that is not http(s). */
export const createUnsafeRedirect = (to: string): RedirectError =>
  new RedirectError(
    'APP_REDIRECT_UNSAFE',
    `Redirect to ${to} refused: pass a path of this application, or http(s) with { external: true }`
  )

/** Creates the error for an endless redirect. */
export const createRedirectLoop = (to: string): RedirectError =>
  new RedirectError('APP_REDIRECT_LOOP', `Redirect to ${to}: it is part of a loop`)

/**
 * Returns a redirect's target: an address here, or the URL on another origin. Keeps the fragment (RFC 9110 §10.2.2).
 * @returns undefined for a target that is not allowed
 */
export function redirectTarget(to: string, from: URL): URL | undefined {
  const target = toOwnPath(to) ?? toWebUrl(to)
  if (target === undefined) return undefined
  const url = new URL(withBasePath(target), from)
  if (!url.hash) url.hash = from.hash
  return url
}
