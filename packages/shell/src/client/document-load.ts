import { ROUTE_LOAD_TIMEOUT } from '@hull/common/constants.ts'

/** The address the document was loaded from: `location` has moved on where the visitor has. */
export function documentUrl(): URL {
  const [loaded] = performance.getEntriesByType('navigation')
  return new URL(loaded?.name ?? location.href)
}

/** Loads documents in place of the page shown, which stays until one comes. */
export class DocumentLoad {
  /** A document was requested and may still come. */
  isLoading = false
  readonly #onNone: () => void

  /** @param onNone called when no document has come: what turns out to be a download leaves the page where it is */
  constructor(onNone: () => void) {
    this.#onNone = onNone
  }

  /** @param kind how it changes the history; `reload`: its address is there already */
  load(url: URL, kind: 'push' | 'replace' | 'back' | 'reload'): void {
    this.isLoading = true
    if (kind === 'push') location.assign(url)
    else if (kind === 'reload') location.reload()
    else location.replace(url)
    setTimeout(() => {
      if (this.isLoading) this.#onNone()
    }, ROUTE_LOAD_TIMEOUT)
  }

  /** A document that still comes would take the place of what is requested next. */
  stop(): void {
    if (this.isLoading) window.stop()
    this.isLoading = false
  }
}
