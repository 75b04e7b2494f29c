import { ROUTE_LOAD_TIMEOUT } from '@hull/common/constants.ts'
import { isExported, withoutSlash } from '../exported.ts'

/** Returns the address from which the document was loaded. `location` changes when the visitor navigates. */
export function documentUrl(): URL {
  const [loaded] = performance.getEntriesByType('navigation')
  const url = new URL(loaded?.name ?? location.href)
  return isExported ? withoutSlash(url) : url
}

/**
 * Milliseconds after which no document is expected any more. A guess: three times the server's own default limit, for a
 * slow connection.
 */
const DOCUMENT_TIMEOUT = 30_000

/** Loads documents that replace the shown page. The page stays until the document arrives. */
export class DocumentLoad {
  /** True if a document was requested and may still arrive. */
  isLoading = false
  readonly #onNone: () => void
  #requestedAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param onNone called if no document has arrived: a download, for example, does not replace the page */
  constructor(onNone: () => void) {
    this.#onNone = onNone
    // The browser has kept this page, and shows it again.
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted || !this.isLoading) return
      this.#end()
      onNone()
    })
  }

  /** @param kind change of the history; `reload` if the address is already there */
  load(url: URL, kind: 'push' | 'replace' | 'back' | 'reload'): void {
    this.isLoading = true
    this.#requestedAt = performance.now()
    if (kind === 'push') location.assign(url)
    else if (kind === 'reload') location.reload()
    else location.replace(url)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onNone, ROUTE_LOAD_TIMEOUT)
  }

  /** Stops loading, so that a document that arrives late does not replace the page requested next. */
  stop(): void {
    // It would also cut event streams and fetchers, so not for a document that will not arrive, such as a download.
    if (this.isLoading && performance.now() - this.#requestedAt < DOCUMENT_TIMEOUT) window.stop()
    this.#end()
  }

  #end() {
    this.isLoading = false
    clearTimeout(this.#timer)
  }
}
