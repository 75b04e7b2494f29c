import { startTransition, useLayoutEffect, useState } from 'react'
import { ViewTree, type View } from '../view/view.tsx'

/** Shows views in the browser. Root calls `attach` when it is mounted. */
export interface Viewer {
  attach: (show: Show) => void
  /** Requests the shown page's data again. */
  retry: () => void
  /** Requests the data again after a change in development. Keeps scroll and focus, and shows errors of the server. */
  reload: () => void
}

/**
 * Shows a view.
 * @param onShown called when the view is mounted, before it is painted
 * @param atOnce renders in the current task, not in a later task of React's after the next frame
 */
export type Show = (view: View, onShown: () => void, atOnce: boolean) => void

interface Shown {
  view: View
  onShown?: () => void
}

/**
 * Milliseconds after which a view is shown without a transition if React has not begun to render it: React holds all
 * transitions back while an asynchronous action of the application is pending, and the action may wait for this view. A
 * guess: a renderer that is only busy has begun before.
 */
const HOLD_LIMIT = 100

/** States that React has begun to render. */
const begun = new WeakSet<Shown>()

/**
 * The application, with the shown view as its only state. In a transition, the old page stays until the next one is
 * ready. It also stays without a transition, because the placeholder of an arriving page suspends the whole tree
 * (packages/shell/src/client/view/view.tsx).
 */
export function Root({ initial, viewer }: { initial: View; viewer?: Viewer }) {
  const [shown, setShown] = useState<Shown>({ view: initial })
  // Not reached while React holds the transition back: the hook above suspends.
  begun.add(shown)
  useLayoutEffect(() => {
    let latest: Shown
    viewer?.attach((view, onShown, atOnce) => {
      const next: Shown = (latest = { view, onShown })
      const set = () => {
        setShown(next)
      }
      if (atOnce) return set()
      startTransition(set)
      setTimeout(() => {
        if (latest === next && !begun.has(next)) set()
      }, HOLD_LIMIT)
    })
  }, [viewer])
  useLayoutEffect(() => shown.onShown?.(), [shown])
  return <ViewTree view={shown.view} retry={viewer?.retry} />
}
