import { STATIC_PREFETCH_STALE_TIME } from '@hull/common/constants.ts'
import { BoundedMap } from './bounded-map.ts'
import { isAllowedInPlace, requestAhead } from './events.ts'
import { findPage, loadPage, nameOfPath } from './modules.ts'
import { askForPage, type Answer } from './page-data.ts'

/** Prefetched pages kept at once. A guess: more links than a visitor points at before one is clicked. */
const MAX_PREFETCHES = 20

/** Characters of static data kept at once. A guess. */
const MAX_STATIC_SIZE = 4 * 1024 * 1024

/** Milliseconds after which data fetched ahead, of a page that may change, is no longer shown. A guess: a pause in reading. */
const AHEAD_STALE_TIME = 30_000

interface Prefetch {
  answer: Promise<Answer>
  controller: AbortController
  /** When it was asked for, by `performance.now()`. */
  askedAt: number
  isStatic: boolean
  /** The answer has begun to arrive. */
  isThere: boolean
}

interface Connection {
  saveData?: boolean
  effectiveType?: string
}

/** Page data asked for before anybody went there. */
export class Prefetches {
  readonly #kept = new BoundedMap<Prefetch>(MAX_PREFETCHES, MAX_STATIC_SIZE, ({ controller }) => {
    controller.abort()
  })

  /**
   * Loads a page's chunk, stylesheet and data; what is there already is not asked for again.
   * @param priority `low` where nobody has shown that they mean to go there
   */
  start(url: URL, priority?: RequestPriority): void {
    const { pathname, search } = url
    const { saveData, effectiveType } = (navigator as { connection?: Connection }).connection ?? {}
    if (saveData || effectiveType?.includes('2g')) return
    const page = findPage(pathname)
    if (page === undefined || page === 'malformed' || !page.load || !isAllowedInPlace(url)) return
    // A chunk that fails is asked for again by the navigation, which knows what to do then.
    loadPage(page).catch(() => {})
    const path = pathname + search
    if (this.#fresh(path)) return
    const controller = new AbortController()
    const answer = requestAhead(nameOfPath(pathname), () => askForPage({ path, signal: controller.signal, priority }))
    this.keep(path, { answer, controller, isStatic: page.isStatic === true })
  }

  /** Keeps an answer for the navigations to come: a static page's is good for all of them, another's for one. */
  keep(path: string, { answer, controller, isStatic }: Omit<Prefetch, 'askedAt' | 'isThere'>): void {
    const entry: Prefetch = { answer, controller, isStatic, askedAt: performance.now(), isThere: false }
    this.#kept.set(path, entry)
    answer.then(
      (result) => {
        entry.isThere = true
        if (this.#kept.get(path) !== entry) return
        if (result.kind === 'page' && !result.payload.error) this.#kept.set(path, entry, isStatic ? result.size : 0)
        else if (result.kind !== 'redirect') this.#kept.clear((other) => other === entry)
      },
      () => {
        this.#kept.clear((other) => other === entry)
      }
    )
  }

  /** What was asked for ahead, if it is still fresh. Taken by one navigation; static data stays for the next. */
  use(path: string): Pick<Prefetch, 'answer' | 'controller'> | undefined {
    const entry = this.#fresh(path)
    if (!entry) return undefined
    if (!entry.isStatic) return this.#kept.take(path)
    // Whoever gives up on a page must not take its data from the next.
    return { answer: entry.answer, controller: new AbortController() }
  }

  /** The answer that {@link use} would give, where it serves one navigation alone. */
  peek(path: string): Promise<Answer> | undefined {
    const entry = this.#fresh(path)
    return entry?.isStatic ? undefined : entry?.answer
  }

  /**
   * Somebody goes there now: whatever else is still waited for is given up. Six slow answers are all the connections
   * that a browser opens by HTTP/1.1, and the page would wait for them.
   */
  makeWay({ pathname, search }: URL): void {
    const wanted = this.#kept.get(pathname + search)
    this.#kept.clear((entry) => !entry.isThere && entry !== wanted)
  }

  /** A page is shown: what was fetched ahead from the last one was fetched for another click. */
  leave(): void {
    this.#kept.clear(({ isStatic }) => !isStatic)
  }

  /** Something was changed on the server: nothing that is kept can be relied on. */
  clear(): void {
    this.#kept.clear()
  }

  #fresh(path: string): Prefetch | undefined {
    const entry = this.#kept.get(path)
    if (!entry) return undefined
    const age = performance.now() - entry.askedAt
    if (age < (entry.isStatic ? STATIC_PREFETCH_STALE_TIME : AHEAD_STALE_TIME)) return entry
    this.#kept.clear((other) => other === entry)
    return undefined
  }
}
