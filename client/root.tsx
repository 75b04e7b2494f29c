import { startTransition, useEffect, useState } from 'react'
import { ViewTree, type View } from './shell/view.tsx'

/** What shows views in the browser: hands the root a setter once it stands. */
export interface Viewer {
  attach: (show: (view: View) => void) => void
  /** Asks for the shown page's data again. */
  retry: () => void
}

/** The application: one state, the view shown. Set in a transition, the old page stays until the next is ready. */
export function Root({ initial, viewer }: { initial: View; viewer?: Viewer }) {
  const [view, setView] = useState(initial)
  useEffect(() => viewer?.attach((next) => startTransition(() => setView(next))), [viewer])
  return <ViewTree view={view} retry={viewer?.retry} />
}
