/**
 * A value that is loaded with its first use. If that fails, the next use loads it again: a moment without file
 * descriptors must not last until the process ends.
 */
export class LazyValue<T> {
  readonly #load: () => Promise<T>
  #loading: Promise<T> | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  get(): Promise<T> {
    return (this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    }))
  }

  /** Waits for what is being loaded, and loads nothing. @returns undefined if there is none, or if it failed */
  async peek(): Promise<T | undefined> {
    return this.#loading?.catch(() => undefined)
  }
}
