import { createHash } from 'node:crypto'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { visibleStatus } from '@hull/common/http/visible-status.ts'
import type { Broadcast, Publish } from '@hull/common/broadcast.ts'
import type { CachePolicy } from '../client/contracts/page.ts'
import { checkTags, toPathLabel } from './cache-labels.ts'

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
  /** Its path and its tags, which `invalidate` finds it by. */
  labels: readonly string[]
  /**
   * Its path or one of its tags was invalidated while it was rendered, or a promise in its data has failed, so nobody may
   * store it.
   */
  outdated: boolean
  /** Compressed bodies by content coding, created on first use. */
  encoded: Map<string, Promise<Buffer>>
}

export interface RenderedPage {
  body: string
  /** Only pages with status 200 are stored. */
  status: number
  headers: Record<string, string>
  /** Tags of the page's `cache`. @default [] */
  tags?: readonly string[]
  /** A promise in the page's data has failed. @default false */
  failed?: boolean
}

/** Documents to remove from the cache: those with one of the tags, and those of one of the paths. */
export interface Invalidation {
  /** Tags of `cache.tags`. @default [] */
  tags?: readonly string[]
  /** Path such as `/items/7`, or several, without query: removes the documents of every query. @default [] */
  path?: string | readonly string[]
}

/** The documents of an invalidation, for a cache in front of the server. */
export interface Invalidated {
  tags: readonly string[]
  paths: readonly string[]
}

export interface PageCacheOptions {
  /**
   * Maximum bytes of stored documents and their addresses, without compressed copies. The least recently used are
   * removed first.
   */
  maxBytes: number
  /**
   * Called with the error of a background render, after which the stale document is served until
   * `staleWhileRevalidate` has passed, and with the error of `onInvalidate`.
   */
  onError: (error: unknown) => void
  /**
   * Called after documents were invalidated here, to purge a shared cache in front of the server. `invalidate` waits for
   * it. @default none
   */
  onInvalidate?: (invalidated: Invalidated) => unknown
  /** Applies invalidations to all replicas: `app.broadcast`. @default to this process only */
  broadcast?: Broadcast
}

/** Channel of the broadcast. Its messages are labels, separated by spaces, which no label contains. */
const CHANNEL = 'page-cache'

/** Stands for all labels, of which none has a comma at its beginning. */
const ALL = ','

/** Maximum characters of a message: as JSON, each takes two bytes at most. */
const MAX_MESSAGE_LENGTH = 3_500

/** Where a document is stored. */
interface CacheKey {
  key: string
  /** Path of the page, encoded, without the query. */
  path: string
}

type Policy = Pick<CachePolicy, 'maxAge' | 'staleWhileRevalidate'>

/** Stores the documents of pages with `cache`, up to a number of bytes. Renders each address once at a time. */
export class PageCache {
  readonly #options: PageCacheOptions
  // In order of use: a hit is moved to the end.
  readonly #pages = new Map<string, StoredPage>()
  readonly #rendering = new Map<string, Promise<StoredPage>>()
  /** Keys of the stored documents by label. */
  readonly #byLabel = new Map<string, Set<string>>()
  /** For each unfinished render, the labels that were invalidated since it began. */
  readonly #unfinished = new Set<Set<string>>()
  #bytes = 0

  readonly #publish: Publish | undefined

  constructor(options: PageCacheOptions) {
    this.#options = options
    this.#publish = options.broadcast?.join(CHANNEL, {
      onMessage: (message) => void (message === ALL ? this.#clear() : this.#drop(message.split(' '))),
      onGap: () => this.#clear()
    })
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Returns the document at `key`: fresh, stale while a render replaces it, or rendered now.
   * @param path of the page, encoded, without the query
   * @param policy in seconds, from the page
   */
  get({ key, path }: CacheKey, policy: Policy, render: () => Promise<RenderedPage>): StoredPage | Promise<StoredPage> {
    const page = this.#pages.get(key)
    const now = performance.now()
    if (page && now < page.staleUntil) {
      this.#pages.delete(key)
      this.#pages.set(key, page)
      if (now >= page.freshUntil && !this.#rendering.has(key))
        this.#render({ key, path }, policy, render).catch((error) => this.#giveUp(key, error))
      return page
    }
    return this.#render({ key, path }, policy, render)
  }

  /**
   * Removes documents, so that the next visitor gets a new one. A render that has begun before is sent to those who
   * wait for it, and not stored. Other replicas do the same, within a second if they are connected.
   * @returns number of documents removed here, page data included, after `onInvalidate` has finished
   * @throws TypeError if a tag or path is not valid
   */
  async invalidate({ tags = [], path = [] }: Invalidation): Promise<number> {
    const paths = [path].flat()
    const labels = [...checkTags(tags), ...paths.map(toPathLabel)]
    const removed = this.#drop(labels)
    await Promise.all(toMessages(labels).map((message) => this.#publish?.(message)))
    try {
      await this.#options.onInvalidate?.({ tags, paths })
    } catch (error) {
      this.#options.onError(error)
    }
    return removed
  }

  /** @returns number of documents removed */
  #drop(labels: readonly string[]): number {
    let removed = 0
    for (const label of labels) {
      for (const key of this.#byLabel.get(label) ?? []) {
        this.#remove(key)
        removed++
      }
      for (const missed of this.#unfinished) missed.add(label)
    }
    // Later requests must not get the result of an earlier render. The tags of a render are known at its end.
    this.#rendering.clear()
    return removed
  }

  /** Removes everything: it is not known what other replicas invalidated. */
  #clear(): void {
    for (const key of this.#pages.keys()) this.#remove(key)
    this.#drop([ALL])
  }

  #render({ key, path }: CacheKey, policy: Policy, render: () => Promise<RenderedPage>): Promise<StoredPage> {
    let rendering = this.#rendering.get(key)
    if (!rendering) {
      const missed = new Set<string>()
      this.#unfinished.add(missed)
      rendering = render()
        .then((rendered) => this.#store({ key, path }, policy, rendered, missed))
        .finally(() => {
          this.#unfinished.delete(missed)
          if (this.#rendering.get(key) === rendering) this.#rendering.delete(key)
        })
      this.#rendering.set(key, rendering)
    }
    return rendering
  }

  #store(
    { key, path }: CacheKey,
    { maxAge, staleWhileRevalidate = 0 }: Policy,
    { body, status, headers, tags = [], failed = false }: RenderedPage,
    missed: ReadonlySet<string>
  ): StoredPage {
    const labels = [toPathLabel(path), ...tags]
    const buffer = Buffer.from(body)
    const freshUntil = performance.now() + maxAge * 1000
    const page: StoredPage = {
      body: buffer,
      status,
      etag: `W/"${createHash('sha1').update(buffer).digest('base64url')}"`,
      headers,
      freshUntil,
      staleUntil: freshUntil + staleWhileRevalidate * 1000,
      labels,
      outdated: failed || [ALL, ...labels].some((label) => missed.has(label)),
      encoded: new Map()
    }
    if (page.outdated) return page
    this.#remove(key)
    if (status !== 200 || sizeOf(key, page) > this.#options.maxBytes) return page
    this.#pages.set(key, page)
    this.#bytes += sizeOf(key, page)
    for (const label of labels) this.#keysOf(label).add(key)
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
    if (!page) return
    this.#pages.delete(key)
    this.#bytes -= sizeOf(key, page)
    for (const label of page.labels) {
      const keys = this.#byLabel.get(label)
      if (keys?.delete(key) && keys.size === 0) this.#byLabel.delete(label)
    }
  }

  #keysOf(label: string): Set<string> {
    let keys = this.#byLabel.get(label)
    if (!keys) this.#byLabel.set(label, (keys = new Set()))
    return keys
  }
}

/** Includes key and labels: a visitor may request the same page at many addresses, each longer than the page. */
const sizeOf = (key: string, { body, labels }: StoredPage): number =>
  labels.reduce((size, label) => size + label.length, key.length + body.length)

/** Messages with all labels. A label that is too long for one stands for all. */
function toMessages(labels: readonly string[]): string[] {
  if (labels.some((label) => label.length > MAX_MESSAGE_LENGTH)) return [ALL]
  const messages: string[] = []
  for (const label of new Set(labels)) {
    const last = messages.at(-1)
    if (last !== undefined && last.length + label.length < MAX_MESSAGE_LENGTH)
      messages[messages.length - 1] += ` ${label}`
    else messages.push(label)
  }
  return messages
}
