// $app/index.ts, the server's entry: everything that rendering needs from the client folder.
import { createElement, type ReactElement } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import type { ReactRenderers } from '../lib/render/render-tree.ts'
import { errorDocument } from './fallbacks/error-document.ts'
import ErrorFallback from './fallbacks/error.tsx'
import Refused from './fallbacks/refused.tsx'
import type { ErrorProps, LayoutModule, PageModule, RefusalProps } from './shell/contract.ts'
import { ViewTree, type View } from './shell/view.tsx'

/** What the server knows of the client folder. */
export interface ClientEntry {
  pages: Record<string, PageModule>
  layouts: Record<string, LayoutModule>
  createRoot: (view: View) => ReactElement
  /** React's renderers, from the same copy of React as the pages. */
  react: ReactRenderers
  /** What is shown in a page's place where no page can be. */
  standIns: { error: (props: ErrorProps) => ReactElement; refusal: (props: RefusalProps) => ReactElement }
  errorDocument: typeof errorDocument
}

export default {
  pages: import.meta.glob<PageModule>('/pages/**/*.tsx', { eager: true }),
  layouts: import.meta.glob<LayoutModule>('/layouts/**/*.tsx', { eager: true }),
  // What Root adds is for the browser, which changes the view: the markup is the same.
  createRoot: (view) => createElement(ViewTree, { view }),
  react: { renderToString, renderToPipeableStream },
  standIns: {
    error: (props) => createElement(ErrorFallback, props),
    refusal: (props) => createElement(Refused, props)
  },
  errorDocument
} satisfies ClientEntry
