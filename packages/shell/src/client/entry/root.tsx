import { startTransition, useLayoutEffect, useState } from 'react'
import { ViewTree, type View } from '../view.tsx'

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
 * The application, with the shown view as its only state. In a transition, the old page stays until the next one is
 * ready. It also stays without a transition, because the placeholder of an arriving page suspends the whole tree
 * (packages/shell/src/client/view.tsx).
 */
export function Root({ initial, viewer }: { initial: View; viewer?: Viewer }) {
  const [shown, setShown] = useState<Shown>({ view: initial })
  useLayoutEffect(() => {
    viewer?.attach((view, onShown, atOnce) => {
      const set = () => {
        setShown({ view, onShown })
      }
      if (atOnce) set()
      else startTransition(set)
    })
  }, [viewer])
  useLayoutEffect(() => shown.onShown?.(), [shown])
  return <ViewTree view={shown.view} retry={viewer?.retry} />
}
