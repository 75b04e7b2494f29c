import { withoutBasePath } from '../base-path.ts'
import { BoundedMap } from '../bounded-map.ts'
import type { ReceivedValues } from '../page-data/payload.ts'
import type { View } from '../view/view.tsx'
import { readPosition } from './scroll-focus.ts'

/** Maximum views kept for going back and forward. A guess: more than most visitors need. */
const MAX_VIEWS = 30

/** Maximum characters of page data in these views. A guess. */
const MAX_VIEWS_SIZE = 8 * 1024 * 1024

/** Maximum scroll positions kept for this tab. */
const MAX_POSITIONS = 200

/** Key of the positions in sessionStorage. */
const STORAGE_KEY = 'hull:scroll'

/** Offsets of the window, and of the element that scrolls in its place. */
export type Position = [x: number, y: number, inner?: number]

/** A page that was shown. */
export interface KeptView {
  view: View
  /** Characters of the view's data. */
  size: number
  /** Values that follow the page. */
  late?: ReceivedValues
}

interface EntryState {
  key: string
}

/** The history entries of this tab. Stores for each key the scroll position and, within this document, the view. */
export class Entries {
  /** Key of the entry whose view is shown. */
  shown: string
  /** Position of the document's page if the browser does not restore it. */
  readonly unrestored: Position | undefined
  readonly #positions: Map<string, Position>
  /** Updated while the visitor scrolls, because a shorter next page may change the position. */
  #position = readPosition()
  #isHeld = false
  /** True while {@link goToHash} runs, in which some browsers fire an event. */
  #goesToHash = false
  readonly #views = new BoundedMap<KeptView>(MAX_VIEWS, MAX_VIEWS_SIZE)

  constructor() {
    // Before all other listeners, for which this is no event of the visitor.
    addEventListener('popstate', (event) => this.#goesToHash && event.stopImmediatePropagation(), { capture: true })
    this.#positions = new Map(readPositions())
    this.shown = this.adopt()
    // The visitor left this entry for another one of its document, or before its page was shown, or the tab was ended.
    if (history.scrollRestoration === 'manual' && scrollY === 0) this.unrestored = this.positionOf(this.shown)
    history.scrollRestoration = 'manual'
    addEventListener('scroll', this.noteScroll, { passive: true })
    const store = () => {
      this.noteScroll()
      this.remember()
      writePositions([...this.#positions].slice(-MAX_POSITIONS))
    }
    // The system may end a hidden tab without another event, and load it again later.
    addEventListener('visibilitychange', store)
    addEventListener('pagehide', () => {
      store()
      // The browser restores the position after a reload or a return from another document. Not if the page of the entry
      // is not shown yet: it would restore the position of the shown one.
      if (!this.isAway) history.scrollRestoration = 'auto'
    })
    addEventListener('pageshow', () => {
      history.scrollRestoration = 'manual'
    })
  }

  /**
   * Returns the current entry's key. An entry from other code or an older build gets a key now.
   * @param key of an entry without one
   */
  adopt(key: string = this.#createKey()): string {
    const state = history.state as Partial<EntryState> | null
    if (typeof state?.key === 'string') return state.key
    writeState(() => history.replaceState({ ...state, key }, ''))
    return key
  }

  /** Notes the current scroll position. */
  noteScroll = (): void => {
    if (!this.#isHeld) this.#position = readPosition()
  }

  /** Keeps the noted position until `release`: a loading view hides the page. */
  hold(): void {
    this.#isHeld = true
  }

  /** @returns the noted position */
  release(): Position {
    this.#isHeld = false
    return this.#position
  }

  /** Stores the scroll position of the shown entry. */
  remember(): void {
    this.#positions.delete(this.shown)
    this.#positions.set(this.shown, this.#position)
  }

  positionOf(key: string): Position | undefined {
    return this.#positions.get(key)
  }

  /** Returns the view of an entry, unless a part of it has failed, or other code has given the entry another address. */
  viewOf(key: string, { pathname, search }: URL): KeptView | undefined {
    const kept = this.#views.get(key)
    const { payload, search: keptSearch } = kept?.view ?? {}
    const isOther = payload?.pathname !== withoutBasePath(pathname) || keptSearch !== search
    return isOther || kept?.late?.hasFailed ? undefined : kept
  }

  /** Keeps the shown view, unless it is an error, which may be temporary. */
  keep({ view, size, late }: KeptView): void {
    if (view.payload.error) return this.drop()
    this.#views.set(this.shown, { view, size, late }, size)
  }

  /** Removes the shown view: it is incomplete, or wrong for its entry. */
  drop(): void {
    this.#views.take(this.shown)
  }

  /** Removes all views: their data may have changed. */
  forget(): void {
    this.#views.clear()
  }

  /** True if the visitor went back or forward, and the page of that entry is not shown yet. */
  get isAway(): boolean {
    const key = (history.state as Partial<EntryState> | null)?.key
    return typeof key === 'string' && key !== this.shown
  }

  /**
   * Adds an entry, or replaces the browser's.
   * @returns whether the browser allowed it
   */
  add(url: URL, replace: boolean): boolean {
    if (this.isAway) this.moveTo(this.adopt())
    else if (!replace) {
      // Other code may have written the entry of the shown page.
      this.adopt(this.shown)
      this.remember()
    }
    if (replace)
      return writeState(() => history.replaceState({ ...(history.state as object), key: this.shown }, '', url))
    return writeState(() => history.pushState({ key: (this.shown = this.#createKey()) }, '', url))
  }

  /**
   * Lets the browser go to the hash of an address of the shown page, in the shown entry: `pushState()` neither sets
   * `:target` nor shows an element that is hidden until it is found (https://github.com/whatwg/html/issues/639).
   */
  goToHash(url: URL): void {
    const { state } = history as { state: unknown }
    this.#goesToHash = true
    location.replace(url)
    // The browser may have removed it.
    writeState(() => history.replaceState(state, ''))
    this.#goesToHash = false
  }

  /** Steps from the browser's entry back to the shown one, negative if the shown one is earlier. */
  stepsBack(): number {
    return indexOf(this.shown) - indexOf(this.adopt())
  }

  /** Key of an entry after the shown one. Unique within a tab's history, across documents. */
  #createKey(): string {
    return [indexOf(this.shown) + 1, ...crypto.getRandomValues(new Uint32Array(2))].join('-')
  }

  /** Marks an entry as shown after the browser has moved to it. */
  moveTo(key: string): void {
    this.remember()
    this.shown = key
  }
}

/** Browsers limit changes of the history: Safari throws a SecurityError after 100 in 30 s. */
function writeState(write: () => void): boolean {
  try {
    write()
    return true
  } catch (error) {
    console.warn('The browser does not let the history change:', error)
    return false
  }
}

/** Position of an entry in the history of its document; comparable with the others of this document. */
const indexOf = (key: string | undefined) => parseInt(key ?? '-1')

function readPositions(): Array<[string, Position]> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isPositionEntry) : []
  } catch {
    return []
  }
}

function isPositionEntry(entry: unknown): entry is [string, Position] {
  return (
    Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]) && entry[1].every(Number.isFinite)
  )
}

function writePositions(positions: Array<[string, Position]>) {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(positions))
  } catch {
    // storage is disabled or full: only the positions are lost
  }
}
