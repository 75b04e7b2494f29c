/** Milliseconds after which nothing is waited for any more: whatever does not hang is sooner, on a machine however busy. */
export const PATIENCE = 60_000

/**
 * Waits until there is something outside of the page.
 * @throws Error after PATIENCE
 */
export async function eventually<T>(find: () => T | undefined | false): Promise<T> {
  for (const end = performance.now() + PATIENCE; ;) {
    const found = find()
    if (found) return found
    if (performance.now() > end) throw new Error(`it never came: ${find.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
