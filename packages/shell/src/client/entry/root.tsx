import { startTransition, useLayoutEffect, useState } from 'react'
import { ViewTree, type View } from '../view.tsx'

/** What shows views in the browser: hands the root a setter once it stands. */
export interface Viewer {
  attach: (show: Show) => void
  /** Asks for the shown page's data again. */
  retry: () => void
  /** Asks for it after a change in development: scroll and focus stay, and an error of the server is shown. */
  reload: () => void
}

/**
 * Shows a view.
 * @param onShown called when it stands, before it is painted
 * @param atOnce in the very task, not in one of React's own after the next frame
 */
export type Show = (view: View, onShown: () => void, atOnce: boolean) => void

interface Shown {
  view: View
  onShown?: () => void
}

/**
 * The application: one state, the view shown. Set in a transition, the old page stays until the next is ready; and set
 * at once it stays too, since what waits in place of an arriving page suspends the whole (shell/view.tsx).
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
