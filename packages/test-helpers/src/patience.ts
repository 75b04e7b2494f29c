/** Milliseconds to wait for any condition. Enough for a very busy machine, so that only a real hang exceeds it. */
export const PATIENCE = 60_000

/** Waits until a condition outside of the page is true. @throws Error after PATIENCE */
export async function eventually<T>(find: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (const end = performance.now() + PATIENCE; ;) {
    const found = await find()
    if (found) return found
    if (performance.now() > end) throw new Error(`it never came: ${find.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
