/**
 * Milliseconds for which the browser may hold the image of the old page. A guess: a longer pause looks like a failure.
 */
const MAX_HOLD_TIME = 300

/**
 * Changes the page as a view transition, if the browser supports them and the visitor does not prefer reduced motion.
 * Does not use React's component, which adds attributes to every streamed document.
 * @param update changes the page, and resolves when the change is complete
 */
export function inViewTransition(update: () => Promise<void>): void {
  if (!('startViewTransition' in document) || matchMedia('(prefers-reduced-motion: reduce)').matches)
    return void update()
  const transition = document.startViewTransition(() => {
    const updated = update()
    const timer = setTimeout(() => {
      transition.skipTransition()
    }, MAX_HOLD_TIME)
    return updated.finally(() => {
      clearTimeout(timer)
    })
  })
  // Skipped by the timer, by another transition, or because the tab is hidden. The page has changed nevertheless.
  for (const step of [transition.ready, transition.updateCallbackDone, transition.finished]) step.catch(() => {})
}
