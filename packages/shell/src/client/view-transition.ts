/** Milliseconds for which the browser may hold its picture of the page that goes. A guess: longer is a page that hangs. */
const PATIENCE = 300

/**
 * Changes the page as a view transition, where the browser has them and the visitor has not asked for less motion. Our
 * own call and not React's component, which writes attributes of its own into every streamed document.
 * @param update changes the page, and resolves when that is done
 */
export function inViewTransition(update: () => Promise<void>): void {
  if (!('startViewTransition' in document) || matchMedia('(prefers-reduced-motion: reduce)').matches)
    return void update()
  const transition = document.startViewTransition(() => {
    const updated = update()
    const timer = setTimeout(() => {
      transition.skipTransition()
    }, PATIENCE)
    return updated.finally(() => {
      clearTimeout(timer)
    })
  })
  // Skipped: by us, by another one, or because the tab is hidden. The page has changed all the same.
  for (const step of [transition.ready, transition.updateCallbackDone, transition.finished]) step.catch(() => {})
}
