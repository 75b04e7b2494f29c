/** A map that keeps the most recently set entries, up to a number of entries and a sum of sizes. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, { value: Value; size: number }>()
  readonly #maxEntries: number
  readonly #maxSize: number
  readonly #onDrop: (value: Value) => void
  #size = 0

  /** @param onDrop called with values that are removed or replaced */
  constructor(maxEntries: number, maxSize: number, onDrop: (value: Value) => void = () => {}) {
    this.#maxEntries = maxEntries
    this.#maxSize = maxSize
    this.#onDrop = onDrop
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: string, value: Value, size = 0): void {
    this.#forget(key, this.#entries.get(key)?.value !== value)
    this.#entries.set(key, { value, size })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#size <= this.#maxSize) return
      this.#forget(oldest, true)
    }
  }

  /** Removes an entry without calling `onDrop`. */
  take(key: string): Value | undefined {
    const value = this.get(key)
    this.#forget(key, false)
    return value
  }

  /**
   * Removes every entry for which `isGone` returns true.
   * @default all
   */
  clear(isGone: (value: Value) => boolean = () => true): void {
    for (const [key, { value }] of this.#entries) if (isGone(value)) this.#forget(key, true)
  }

  #forget(key: string, drop: boolean) {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#size -= entry.size
    if (drop) this.#onDrop(entry.value)
  }
}
