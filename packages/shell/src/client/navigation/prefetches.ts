import { STATIC_PREFETCH_STALE_TIME } from '@hull/common/constants.ts'
import { BoundedMap } from '../bounded-map.ts'
import { isAllowedInPlace, requestAhead } from '../events.ts'
import { findPage, loadPage, nameOfPath } from '../modules.ts'
import { requestPage, type Answer } from '../page-data/page-data.ts'
import type { ReceivedValues } from '../page-data/payload.ts'

/** Maximum prefetched pages. A guess: more links than a visitor points at before a click. */
const MAX_PREFETCHES = 20

/** Maximum characters of static data. A guess. */
const MAX_STATIC_SIZE = 4 * 1024 * 1024

/**
 * Milliseconds after which prefetched data of a page that may change is no longer used. A guess: a pause in reading.
 */
const PREFETCH_STALE_TIME = 30_000

interface Prefetch {
  answer: Promise<Answer>
  controller: AbortController
  /** Time of the request, from `performance.now()`. */
  requestedAt: number
  isStatic: boolean
  /** True when the answer has begun to arrive. */
  hasAnswer: boolean
  /** Values that follow the answer. */
  late?: ReceivedValues
}

interface Connection {
  saveData?: boolean
  effectiveType?: string
}

/** Page data that was requested before a navigation. */
export class Prefetches {
  readonly #kept = new BoundedMap<Prefetch>(MAX_PREFETCHES, MAX_STATIC_SIZE, ({ controller }) => {
    controller.abort()
  })

  /**
   * Loads a page's chunk, stylesheet and data. Does not repeat requests for data that is already there.
   * @param priority `low` if the visitor has not shown an intent to visit the page
   */
  start(url: URL, priority?: RequestPriority): void {
    const { pathname, search } = url
    const { saveData, effectiveType } = (navigator as { connection?: Connection }).connection ?? {}
    if (saveData || effectiveType?.includes('2g')) return
    const page = findPage(pathname)
    if (page === undefined || page === 'malformed' || !page.load || !isAllowedInPlace(url)) return
    // The navigation requests a failed chunk again, and handles the error.
    loadPage(page).catch(() => {})
    const path = pathname + search
    if (this.#fresh(path)) return
    const controller = new AbortController()
    const answer = requestAhead(nameOfPath(pathname), () => requestPage({ path, signal: controller.signal, priority }))
    this.keep(path, { answer, controller, isStatic: page.isStatic === true })
  }

  /** Keeps an answer for later navigations: a static page's for all of them, any other for one. */
  keep(path: string, { answer, controller, isStatic }: Omit<Prefetch, 'requestedAt' | 'hasAnswer'>): void {
    const entry: Prefetch = { answer, controller, isStatic, requestedAt: performance.now(), hasAnswer: false }
    this.#kept.set(path, entry)
    answer.then(
      (result) => {
        entry.hasAnswer = true
        if (result.kind === 'page') entry.late = result.late
        if (this.#kept.get(path) !== entry) return
        if (result.kind === 'page' && !result.payload.error) this.#kept.set(path, entry, isStatic ? result.size : 0)
        else if (result.kind !== 'redirect') this.#kept.clear((other) => other === entry)
      },
      () => {
        this.#kept.clear((other) => other === entry)
      }
    )
  }

  /** Returns prefetched data that is still fresh. Removes it, unless it is static. */
  use(path: string): Pick<Prefetch, 'answer' | 'controller'> | undefined {
    const entry = this.#fresh(path)
    if (!entry) return undefined
    if (!entry.isStatic) return this.#kept.take(path)
    // New controllers: a cancelled navigation must not abort static data that the next one may use, and the data that a
    // navigation uses must not be aborted when it is no longer kept.
    entry.controller = new AbortController()
    return { answer: entry.answer, controller: new AbortController() }
  }

  /** Returns the answer that {@link use} would return, unless it is static. */
  peek(path: string): Promise<Answer> | undefined {
    const entry = this.#fresh(path)
    return entry?.isStatic ? undefined : entry?.answer
  }

  /**
   * Aborts all other pending prefetches before a navigation. Six slow answers occupy all connections that a browser
   * opens for HTTP/1.1, and the page would wait for them.
   */
  abortOthers({ pathname, search }: URL): void {
    const wanted = this.#kept.get(pathname + search)
    this.#kept.clear((entry) => !entry.hasAnswer && entry !== wanted)
  }

  /**
   * Removes data that is not static: when a page is shown, it was for other links of the last page, and after a
   * `refresh()` it is older than the change.
   */
  clearDynamic(): void {
    this.#kept.clear(({ isStatic }) => !isStatic)
  }

  /** Removes everything: data on the server may have changed. */
  clear(): void {
    this.#kept.clear()
  }

  #fresh(path: string): Prefetch | undefined {
    const entry = this.#kept.get(path)
    if (!entry) return undefined
    const age = performance.now() - entry.requestedAt
    if (!entry.late?.hasFailed && age < (entry.isStatic ? STATIC_PREFETCH_STALE_TIME : PREFETCH_STALE_TIME))
      return entry
    this.#kept.clear((other) => other === entry)
    return undefined
  }
}
