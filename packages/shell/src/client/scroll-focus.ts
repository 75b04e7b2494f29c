import type { Position } from './entries.ts'

/** Milliseconds for which a page may still grow to where it was scrolled. A guess. */
const GROWTH_TIME = 3_000

/** Scrolls as a browser does when a document has come: to where it was left, to what the hash names, or to the top. */
export function settleScrollAt(position: Position | undefined, hash: string): void {
  if (position) restoreScroll(position)
  else if (!hash || !scrollToHash(hash)) scrollTo(0, 0)
}

/** Scrolls to where a page was left, as soon as it is long enough for that; not against the visitor's own hand. */
function restoreScroll([x, y]: Position): void {
  const top = document.documentElement
  const reach = () => {
    scrollTo(x, y)
    return Math.abs(scrollY - y) <= 1
  }
  if (reach()) return
  const observer = new ResizeObserver(() => {
    if (reach()) stop()
  })
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const type of HANDS) removeEventListener(type, stop)
  }
  const timer = setTimeout(stop, GROWTH_TIME)
  for (const type of HANDS) addEventListener(type, stop, { passive: true })
  observer.observe(top)
}

/** What says that the visitor scrolls, or is elsewhere. */
const HANDS = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'popstate'] as const

/** Scrolls to what a hash names. @returns whether the page has it */
function scrollToHash(hash: string): boolean {
  const target = findTarget(hash)
  if (target) {
    target.scrollIntoView()
    focusQuietly(target)
  } else if (hash !== '#top' && hash.length > 1) return false
  else scrollTo(0, 0)
  return true
}

function findTarget(hash: string): HTMLElement | undefined {
  const name = hash.slice(1)
  return document.getElementById(name) ?? document.getElementById(decodeHash(name)) ?? undefined
}

function decodeHash(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/**
 * Moves the focus to a page that has come, unless it kept the focus: the same page with another query does where the
 * element is still there, and so does what React has focused for `autoFocus`, which leaves no attribute to know it by.
 * @param before the element that had the focus before
 */
export function settleFocus(before: Element | null, isSamePath: boolean): void {
  const { activeElement, body } = document
  if (activeElement === body || (!isSamePath && activeElement === before)) focusPage()
}

/** Moves the focus to the page that has come, as a new document would: its own choice, or its main part. */
function focusPage(): void {
  const target = document.querySelector<HTMLElement>('#root [autofocus]') ?? document.querySelector<HTMLElement>('main')
  if (target) focusQuietly(target)
  else (document.activeElement as HTMLElement | null)?.blur()
}

function focusQuietly(target: HTMLElement) {
  target.focus({ preventScroll: true })
  if (document.activeElement === target) return
  target.tabIndex = -1
  target.focus({ preventScroll: true })
}
