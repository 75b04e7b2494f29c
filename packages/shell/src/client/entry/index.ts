// $app/index.ts, the server's entry: exports everything that rendering needs from the client folder.
import * as fastifyReact from '@fastify/react'
import { createRoutes, type ReactRoute } from '@fastify/react/server'
import * as fallbacks from 'hull:fallbacks'
import { files, layouts, pages } from 'hull:server-pages'
import { createElement, use, type ComponentType, type ReactElement, type ReactNode } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import type { ReactRenderers } from '../../render/render-tree.ts'
import type { ContextModule } from '../contracts/context.ts'
import type { ErrorDocumentProps, ErrorProps, RefusalProps } from '../contracts/fallback.ts'
import type { LayoutModule, PageModule } from '../contracts/page.ts'
import { setFallbacks } from '../fallbacks/fallbacks.tsx'
import { ViewTree, type View } from '../view/view.tsx'

/** A page whose module the server loads with its first request. */
export interface LatePage {
  load: () => Promise<PageModule>
  /** Address in the notation of file names, if the page exports a `path`. */
  fileRoute?: string
  /** Set if the page exports `uploads`. */
  takesUploads?: true
  /** Set if a package brings the page. */
  isOfPackage?: true
}

/** The server's interface to the client folder. */
export interface ClientEntry {
  /** The renderer, in the same bundle as the pages, so that a build has one React and one production mode. */
  fastifyReact: typeof fastifyReact
  /** Routes of @fastify/react, one per page, for `createRoute`. */
  routes: ReactRoute[] | Promise<ReactRoute[]>
  pages: Record<string, PageModule | LatePage>
  layouts: Record<string, LayoutModule>
  /** Files of the pages and layouts: their paths in the manifest and in messages, and their root's prefix. */
  files?: Record<string, { source: string; file: string; prefix: string }>
  /** `client/context.ts`, if there is one. */
  context: ContextModule | undefined
  createRoot: (view: View) => ReactElement
  /** Wraps the root so that it suspends until the promise settles. */
  suspendRoot: (root: ReactElement, until: Promise<void>) => ReactElement
  /** React's renderers, from the same copy of React as the pages. */
  react: ReactRenderers
  /** Elements to show if no page can be shown. */
  replacements: {
    /** @param View a layout's own. @default the application's */
    error: (props: ErrorProps, View?: ComponentType<ErrorProps>) => ReactElement
    refusal: (props: RefusalProps) => ReactElement
  }
  errorDocument: (props: ErrorDocumentProps) => string
}

const [context] = Object.values(import.meta.glob<ContextModule>('/context.{ts,js}', { eager: true }))

setFallbacks(fallbacks)

export default {
  fastifyReact,
  routes: createRoutes({ default: pages }),
  pages,
  layouts,
  files,
  context,
  // Root itself is only for the browser, which changes the view. The markup is the same.
  createRoot: (view) => createElement(ViewTree, { view }),
  suspendRoot: (root, until) => createElement(Suspended, { until }, root),
  react: { renderToString, renderToPipeableStream },
  replacements: {
    error: (props, View = fallbacks.ErrorFallback) => createElement(View, props),
    refusal: (props) => createElement(fallbacks.Refused, props)
  },
  errorDocument: fallbacks.errorDocument
} satisfies ClientEntry

function Suspended({ until, children }: { until: Promise<void>; children?: ReactNode }) {
  use(until)
  return children
}
