import { addTransitionType, startTransition, useLayoutEffect, useState } from 'react'
import { TRANSITION_TYPE, ViewTree, type View } from './shell/view.tsx'

/** What shows views in the browser: hands the root a setter once it stands. */
export interface Viewer {
  attach: (show: Show) => void
  /** Asks for the shown page's data again. */
  retry: () => void
}

/** Shows a view. */
export type Show = (view: View, options: ShowOptions) => void

export interface ShowOptions {
  /** Called when it stands, before it is painted. */
  onShown: () => void
  /** As a view transition, where the browser has them. @default false */
  transition?: boolean
}

interface Shown {
  view: View
  onShown?: () => void
}

/** The application: one state, the view shown. Set in a transition, the old page stays until the next is ready. */
export function Root({ initial, viewer }: { initial: View; viewer?: Viewer }) {
  const [shown, setShown] = useState<Shown>({ view: initial })
  useLayoutEffect(() => {
    viewer?.attach((view, { onShown, transition }) => {
      startTransition(() => {
        if (transition) addTransitionType(TRANSITION_TYPE)
        setShown({ view, onShown })
      })
    })
  }, [viewer])
  useLayoutEffect(() => shown.onShown?.(), [shown])
  return <ViewTree view={shown.view} retry={viewer?.retry} />
}
