import { toOwnPath, toWebUrl } from '@hull/common/safe-url.ts'

/** Redirects in a row before they are a loop. A guess: fetch allows 20, and an honest chain has two or three. */
export const MAX_REDIRECTS = 10

/** Milliseconds after which a page that stands is no step of a chain. A guess: a page in a loop leaves at once. */
const STAY = 1_000

/** Milliseconds within which the next document continues the chain. A guess: three times what a render may take. */
const DOCUMENT_TIME = 30_000

/** Where the chain is kept across documents. */
const STORAGE_KEY = 'hull:redirects'

/** What only a visitor can do. */
const ACTS = ['pointerdown', 'keydown', 'input', 'wheel', 'touchmove', 'popstate', 'pageshow'] as const

/**
 * Redirects that components threw and calls of `navigate()`, in a row: without an act of the visitor, and with no page
 * that stayed between them. The chain goes on in the documents that it leads to.
 */
let count = readCount()
let timer: ReturnType<typeof setTimeout> | undefined

/** Begins to see what the visitor does. Called once, when the document's page stands. */
export function watchVisitor(): void {
  const options = { capture: true, passive: true }
  for (const type of ACTS)
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
 * Counts a redirect that the page makes by itself.
 * @throws RedirectError APP_REDIRECT_LOOP when the chain is too long; until the visitor acts, none is followed
 */
export function countRedirect(to: string): void {
  clearTimeout(timer)
  if (count >= MAX_REDIRECTS) {
    // A reload is the visitor's, and begins a chain of its own.
    writeCount(0)
    throw createRedirectLoop(to)
  }
  writeCount(++count)
}

/** A page stands, and nothing is on its way: unless it leaves soon, the chain ends with it. */
export function awaitStay(): void {
  clearTimeout(timer)
  if (count > 0) timer = setTimeout(endChain, STAY)
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
    // Storage is off or full: a chain ends with its document.
  }
}

/** The codes of the redirects that are not followed, explained in docs/errors.md. */
type RedirectErrorCode = 'APP_REDIRECT_UNSAFE' | 'APP_REDIRECT_LOOP'

/** A redirect that the browser does not follow. Its name is its code, and so is the type of its event. */
export class RedirectError extends Error {
  override readonly name: RedirectErrorCode

  constructor(code: RedirectErrorCode, message: string) {
    super(message)
    this.name = code
  }
}

/** A redirect to another origin that was not asked for, or to what is no http address. */
export const createUnsafeRedirect = (to: string): RedirectError =>
  new RedirectError(
    'APP_REDIRECT_UNSAFE',
    `Redirect to ${to}: a path of this application, or http(s) with { external: true }`
  )

/** A redirect that would go on without end. */
export const createRedirectLoop = (to: string): RedirectError =>
  new RedirectError('APP_REDIRECT_LOOP', `Redirect to ${to}: it is part of a loop`)

/**
 * Where a redirect leads: here, or to another origin by its whole URL. The fragment goes along (RFC 9110 §10.2.2).
 * @returns undefined for what no page may lead to
 */
export function redirectTarget(to: string, from: URL): URL | undefined {
  const target = toOwnPath(to) ?? toWebUrl(to)
  if (target === undefined) return undefined
  const url = new URL(target, from)
  if (!url.hash) url.hash = from.hash
  return url
}
