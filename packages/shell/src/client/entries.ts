import { BoundedMap } from './bounded-map.ts'
import type { View } from './view.tsx'

/** Views kept for going back and forward. A guess: further than most go. */
const MAX_VIEWS = 30

/** Characters of page data kept for them. A guess. */
const MAX_VIEWS_SIZE = 8 * 1024 * 1024

/** Positions kept for the entries of this tab. */
const MAX_POSITIONS = 200

/** Where the positions are kept across documents. */
const STORAGE_KEY = 'hull:scroll'

export type Position = [x: number, y: number]

/** What is kept of a page that was shown. */
export interface KeptView {
  view: View
  /** Characters of its data. */
  size: number
}

interface EntryState {
  key: string
}

/**
 * The history entries of this tab, each with a key of its own: how far it was scrolled, and, within this document, what
 * was shown.
 */
export class Entries {
  /** Key of the entry whose view is shown. */
  shown: string
  readonly #positions: Map<string, Position>
  /** Kept up while the visitor scrolls: once the next page stands, a shorter one may have moved it. */
  #position: Position = [scrollX, scrollY]
  readonly #views = new BoundedMap<KeptView>(MAX_VIEWS, MAX_VIEWS_SIZE)

  constructor() {
    this.#positions = new Map(readPositions())
    this.shown = this.adopt()
    history.scrollRestoration = 'manual'
    addEventListener('scroll', this.noteScroll, { passive: true })
    addEventListener('pagehide', () => {
      this.noteScroll()
      this.remember()
      writePositions([...this.#positions].slice(-MAX_POSITIONS))
      // A reload and a return from another document are the browser's own.
      history.scrollRestoration = 'auto'
    })
    addEventListener('pageshow', () => {
      history.scrollRestoration = 'manual'
    })
  }

  /** Key of the current entry; one that another hand made, or an older build, gets its key now. */
  adopt(): string {
    const state = history.state as Partial<EntryState> | null
    if (typeof state?.key === 'string') return state.key
    const key = createKey()
    writeState(() => history.replaceState({ ...state, key }, ''))
    return key
  }

  /** Takes note of how far the page is scrolled. */
  noteScroll = (): void => {
    this.#position = [scrollX, scrollY]
  }

  /** Remembers how far the shown entry is scrolled. */
  remember(): void {
    this.#positions.delete(this.shown)
    this.#positions.set(this.shown, this.#position)
  }

  positionOf(key: string): Position | undefined {
    return this.#positions.get(key)
  }

  /** What was shown at an entry. */
  viewOf(key: string): KeptView | undefined {
    return this.#views.get(key)
  }

  /** Keeps what is shown; an error is none: it may have passed. */
  keep({ view, size }: KeptView): void {
    if (view.payload.error) return this.drop()
    this.#views.set(this.shown, { view, size }, size)
  }

  /** Forgets what is shown: it is not complete, or not what should stand there. */
  drop(): void {
    this.#views.take(this.shown)
  }

  /** Forgets what was shown: it may not be true any more. */
  forget(): void {
    this.#views.clear()
  }

  /** Adds an entry, or takes the place of the one shown. @returns whether the browser allowed it */
  add(url: URL, replace: boolean): boolean {
    if (replace)
      return writeState(() => history.replaceState({ ...(history.state as object), key: this.shown }, '', url))
    this.remember()
    return writeState(() => history.pushState({ key: (this.shown = createKey()) }, '', url))
  }

  /** The browser has moved to an entry, and its view is now shown. */
  moveTo(key: string): void {
    this.remember()
    this.shown = key
  }
}

/** Browsers limit how often it may be written: Safari to 100 times in 30 s, and throws a SecurityError then. */
function writeState(write: () => void): boolean {
  try {
    write()
    return true
  } catch (error) {
    console.warn('The browser does not let the history change:', error)
    return false
  }
}

/** Unique within a tab's history, whichever documents made it. */
const createKey = () => crypto.getRandomValues(new Uint32Array(2)).join('-')

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
    // storage is off or full: only the positions are lost
  }
}
