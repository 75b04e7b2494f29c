import type { Position } from './entries.ts'

/** Milliseconds to wait until a page is long enough for its scroll position, or has the hash's element. A guess. */
const GROWTH_TIME = 3_000

/** Like a document that is loaded, also if the application's stylesheet has `scroll-behavior: smooth`. */
const behavior = 'instant'

export const scrollToTop = (): void => scrollPage([0, 0, 0])

/** Elements that may scroll in place of the window: <main> and those around it. */
function findScrollers(): Element[] {
  const scrollers: Element[] = []
  for (let element = document.querySelector('main'); element; element = element.parentElement)
    if (element !== document.documentElement) scrollers.push(element)
  return scrollers
}

/** Returns the scroll position of the shown page. */
export const readPosition = (): Position => [
  scrollX,
  scrollY,
  Math.max(0, ...findScrollers().map(({ scrollTop }) => scrollTop))
]

function scrollPage([left, top, inner = 0]: Position) {
  scrollTo({ left, top, behavior })
  for (const scroller of findScrollers()) scroller.scrollTo({ top: inner, behavior })
}

/**
 * Scrolls like a browser after loading a document: to the stored position, to the hash's element, or to the top.
 * @param onTarget called when the page has the element, before it is scrolled to, unless it is `:target`. @default nothing
 */
export function settleScrollAt(position: Position | undefined, hash: string, onTarget = () => {}): void {
  stopRestoring?.()
  if (position) reachWhenGrown(() => restoreScroll(position))
  else if (!hash || !scrollToHash(hash, onTarget)) {
    scrollToTop()
    // The element may be in a part of a streaming page that is still to come.
    if (hash) reachWhenGrown(() => scrollToHash(hash, onTarget))
  }
}

/** Ends the wait for the last page to grow. */
let stopRestoring: (() => void) | undefined

/** @returns whether the page is long enough for the stored position */
function restoreScroll(position: Position): boolean {
  const [, top, inner = 0] = position
  scrollPage(position)
  const [, y, within = 0] = readPosition()
  return Math.abs(y - top) <= 1 && Math.abs(within - inner) <= 1
}

/** Tries again whenever the page changes, unless the visitor scrolls. */
function reachWhenGrown(reach: () => boolean): void {
  if (reach()) return
  const tryAgain = () => {
    if (reach()) stop()
  }
  const sizes = new ResizeObserver(tryAgain)
  // A part may be as high as its placeholder.
  const parts = new MutationObserver(tryAgain)
  const stop = (stopRestoring = () => {
    sizes.disconnect()
    parts.disconnect()
    clearTimeout(timer)
    for (const type of SCROLL_INPUT_EVENTS) removeEventListener(type, stop)
  })
  const timer = setTimeout(stop, GROWTH_TIME)
  for (const type of SCROLL_INPUT_EVENTS) addEventListener(type, stop, { passive: true })
  sizes.observe(document.documentElement)
  parts.observe(document.body, { childList: true, subtree: true })
}

/** Events that show that the visitor scrolls or navigates. */
const SCROLL_INPUT_EVENTS = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'popstate'] as const

/**
 * Scrolls to the hash's element.
 * @returns whether the page has the element
 */
function scrollToHash(hash: string, onTarget: () => void): boolean {
  const target = findTarget(hash)
  if (target) {
    // Not again, if a browser fires its event later: it would be one of the visitor, and lead here.
    if (!target.matches(':target')) onTarget()
    openAround(target)
    target.scrollIntoView({ behavior })
    focusQuietly(target)
  } else if (hash !== '#top' && hash.length > 1) return false
  else scrollToTop()
  return true
}

function findTarget(hash: string): HTMLElement | null {
  const name = hash.slice(1)
  return findNamed(name) ?? findNamed(decodeHash(name))
}

/** Finds an element by its id, or an anchor by its name, as written before HTML 5. */
const findNamed = (name: string): HTMLElement | null =>
  document.getElementById(name) ?? document.querySelector<HTMLElement>(`a[name="${CSS.escape(name)}"]`)

/** Opens the closed <details> that hide an element. */
function openAround(element: HTMLElement) {
  const hiding = element.parentElement?.closest('details')
  if (!hiding) return
  hiding.open = true
  openAround(hiding)
}

function decodeHash(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/**
 * Moves the focus to a new page, unless the page has kept or set the focus. It keeps the focus if only the query
 * changes and the focused element still exists, and if the visitor has moved the focus since the request, such as into
 * a search field of the layout. It sets the focus if React has focused an `autoFocus` element, which has no attribute in
 * the DOM.
 * @param before element that had the focus when the page was requested
 */
export function settleFocus(before: Element | null, isSamePath: boolean): void {
  const { activeElement, body } = document
  if (activeElement === body || (!isSamePath && activeElement === before)) focusPage()
}

/** Moves the focus like a new document: to its `autofocus` element, or its main part. */
function focusPage(): void {
  const target = document.querySelector<HTMLElement>('#root [autofocus]') ?? document.querySelector<HTMLElement>('main')
  if (target) focusQuietly(target)
  else (document.activeElement as HTMLElement | null)?.blur()
}

function focusQuietly(target: HTMLElement) {
  target.focus({ preventScroll: true })
  if (document.activeElement === target) return
  target.tabIndex = -1
  // Hides the outline: styles/base.css.
  target.dataset.shellFocus = ''
  target.focus({ preventScroll: true })
  // Otherwise, a click on any text in the element would move the focus there.
  const release = () => {
    // The window has lost the focus, not the element.
    if (document.activeElement === target) return
    target.removeAttribute('tabindex')
    delete target.dataset.shellFocus
    target.removeEventListener('blur', release)
  }
  target.addEventListener('blur', release)
}
