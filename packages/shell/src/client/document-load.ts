import { ROUTE_LOAD_TIMEOUT } from '@hull/common/constants.ts'
import { isExported, withoutSlash } from './exported.ts'

/** Returns the address from which the document was loaded. `location` changes when the visitor navigates. */
export function documentUrl(): URL {
  const [loaded] = performance.getEntriesByType('navigation')
  const url = new URL(loaded?.name ?? location.href)
  return isExported ? withoutSlash(url) : url
}

/** Loads documents that replace the shown page. The page stays until the document arrives. */
export class DocumentLoad {
  /** True if a document was requested and may still arrive. */
  isLoading = false
  readonly #onNone: () => void

  /** @param onNone called if no document has arrived: a download, for example, does not replace the page */
  constructor(onNone: () => void) {
    this.#onNone = onNone
  }

  /** @param kind change of the history; `reload` if the address is already there */
  load(url: URL, kind: 'push' | 'replace' | 'back' | 'reload'): void {
    this.isLoading = true
    if (kind === 'push') location.assign(url)
    else if (kind === 'reload') location.reload()
    else location.replace(url)
    setTimeout(() => {
      if (this.isLoading) this.#onNone()
    }, ROUTE_LOAD_TIMEOUT)
  }

  /** Stops loading, so that a document that arrives late does not replace the page requested next. */
  stop(): void {
    if (this.isLoading) window.stop()
    this.isLoading = false
  }
}
