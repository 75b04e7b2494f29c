import { createHash } from 'node:crypto'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { visibleStatus } from '@hull/common/http/visible-status.ts'

/** A rendered answer that is the same for all visitors. */
export interface StoredPage {
  body: Buffer
  status: number
  /** Weak, because all content codings of the body share it. */
  etag: string
  headers: Record<string, string>
  /** Milliseconds on the clock of `performance.now()`. */
  freshUntil: number
  staleUntil: number
  /** Compressed bodies by content coding, created on first use. */
  encoded: Map<string, Promise<Buffer>>
}

export interface RenderedPage {
  body: string
  /** Only pages with status 200 are stored. */
  status: number
  headers: Record<string, string>
}

export interface PageCacheOptions {
  /**
   * Maximum bytes of stored documents and their addresses, without compressed copies. The least recently used are
   * removed first.
   */
  maxBytes: number
  /**
   * Called when a background render fails with an error; the stale document is served until `staleWhileRevalidate` has
   * passed.
   */
  onError: (error: unknown) => void
}

/** Stores the documents of pages with `cache`, up to a number of bytes. Renders each address once at a time. */
export class PageCache {
  readonly #options: PageCacheOptions
  // In order of use: a hit is moved to the end.
  readonly #pages = new Map<string, StoredPage>()
  readonly #rendering = new Map<string, Promise<StoredPage>>()
  #bytes = 0

  constructor(options: PageCacheOptions) {
    this.#options = options
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Returns the document at `key`: fresh, stale while a render replaces it, or rendered now.
   * @param policy in seconds, from the page
   */
  get(
    key: string,
    policy: { maxAge: number; staleWhileRevalidate?: number },
    render: () => Promise<RenderedPage>
  ): StoredPage | Promise<StoredPage> {
    const page = this.#pages.get(key)
    const now = performance.now()
    if (page && now < page.staleUntil) {
      this.#pages.delete(key)
      this.#pages.set(key, page)
      if (now >= page.freshUntil) this.#render(key, policy, render).catch((error) => this.#giveUp(key, error))
      return page
    }
    return this.#render(key, policy, render)
  }

  #render(
    key: string,
    policy: { maxAge: number; staleWhileRevalidate?: number },
    render: () => Promise<RenderedPage>
  ): Promise<StoredPage> {
    let rendering = this.#rendering.get(key)
    if (!rendering) {
      rendering = render()
        .then((rendered) => this.#store(key, policy, rendered))
        .finally(() => {
          this.#rendering.delete(key)
        })
      this.#rendering.set(key, rendering)
    }
    return rendering
  }

  #store(
    key: string,
    { maxAge, staleWhileRevalidate = 0 }: { maxAge: number; staleWhileRevalidate?: number },
    { body, status, headers }: RenderedPage
  ): StoredPage {
    const buffer = Buffer.from(body)
    const freshUntil = performance.now() + maxAge * 1000
    const page: StoredPage = {
      body: buffer,
      status,
      etag: `W/"${createHash('sha1').update(buffer).digest('base64url')}"`,
      headers,
      freshUntil,
      staleUntil: freshUntil + staleWhileRevalidate * 1000,
      encoded: new Map()
    }
    this.#remove(key)
    if (status !== 200 || sizeOf(key, page) > this.#options.maxBytes) return page
    this.#pages.set(key, page)
    this.#bytes += sizeOf(key, page)
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= this.#options.maxBytes) break
      this.#remove(oldest)
    }
    return page
  }

  /** After a failed background render: an error keeps the stale document, an answer such as 404 removes it. */
  #giveUp(key: string, error: unknown) {
    if (isRedirect(error) || isOutcome(error) || visibleStatus(error) < 500) this.#remove(key)
    else this.#options.onError(error)
  }

  #remove(key: string) {
    const page = this.#pages.get(key)
    if (page && this.#pages.delete(key)) this.#bytes -= sizeOf(key, page)
  }
}

/** Includes the key: a visitor may request the same page at many addresses, each longer than the page. */
const sizeOf = (key: string, { body }: StoredPage): number => key.length + body.length
