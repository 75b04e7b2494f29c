/** Result of a function; undefined if the function throws. */
export function attempt<T>(fn: () => T): T | undefined {
  try {
    return fn()
  } catch {
    return undefined
  }
}
