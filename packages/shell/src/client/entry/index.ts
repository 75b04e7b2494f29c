// $app/index.ts, the server's entry: everything that rendering needs from the client folder.
import * as fastifyReact from '@fastify/react'
import { createRoutes, type ReactRoute } from '@fastify/react/server'
import { ErrorFallback, errorDocument, Refused } from 'hull:fallbacks'
import { files, layouts, pages } from 'hull:server-pages'
import { createElement, use, type ReactElement, type ReactNode } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import type { ReactRenderers } from '../../render/render-tree.ts'
import type {
  ContextModule,
  ErrorDocumentProps,
  ErrorProps,
  LayoutModule,
  PageModule,
  RefusalProps
} from '../contract.ts'
import { ViewTree, type View } from '../view.tsx'

/** What the server knows of the client folder. */
export interface ClientEntry {
  /** The renderer, in the same bundle as the pages: a build has one React and one production mode. */
  fastifyReact: typeof fastifyReact
  /** @fastify/react's routes, one for each page: `createRoute` is called with each. */
  routes: ReactRoute[] | Promise<ReactRoute[]>
  pages: Record<string, PageModule>
  layouts: Record<string, LayoutModule>
  /** For each page and layout its file, as the manifest and as messages name it, and the prefix of its root. */
  files?: Record<string, { source: string; file: string; prefix: string }>
  /** `client/context.ts`, if there is one. */
  context: ContextModule | undefined
  createRoot: (view: View) => ReactElement
  /** The same tree, which suspends until the promise has settled. */
  holdRoot: (root: ReactElement, until: Promise<void>) => ReactElement
  /** React's renderers, from the same copy of React as the pages. */
  react: ReactRenderers
  /** What is shown in a page's place where no page can be. */
  standIns: { error: (props: ErrorProps) => ReactElement; refusal: (props: RefusalProps) => ReactElement }
  errorDocument: (props: ErrorDocumentProps) => string
}

const [context] = Object.values(import.meta.glob<ContextModule>('/context.{ts,js}', { eager: true }))

export default {
  fastifyReact,
  routes: createRoutes({ default: pages }),
  pages,
  layouts,
  files,
  context,
  // What Root adds is for the browser, which changes the view: the markup is the same.
  createRoot: (view) => createElement(ViewTree, { view }),
  holdRoot: (root, until) => createElement(Held, { until }, root),
  react: { renderToString, renderToPipeableStream },
  standIns: {
    error: (props) => createElement(ErrorFallback, props),
    refusal: (props) => createElement(Refused, props)
  },
  errorDocument
} satisfies ClientEntry

function Held({ until, children }: { until: Promise<void>; children?: ReactNode }) {
  use(until)
  return children
}
