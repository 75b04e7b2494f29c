import { Suspense, use, useSyncExternalStore, type ComponentType, type ReactElement, type ReactNode } from 'react'
import type { PagePayload } from '../../routing/payload.ts'
import { Boundary } from '../fallbacks/boundary.tsx'
import type { LayoutModule, PageModule } from '../contracts/page.ts'
import { fallbacks, OutcomeFallback } from '../fallbacks/fallbacks.tsx'
import { InLayout } from './in-layout.ts'
import { ShownView } from './route.ts'

/** A page that is ready to be shown: its payload and its components. */
export interface View {
  payload: PagePayload
  /** Query of the address, with its question mark. */
  search: string
  /** Null if an outcome or an error is shown instead of the page. */
  page: { Component: PageModule['default']; clientOnly: boolean } | null
  /** Outermost first, as in `payload.layouts`. */
  layouts: LayoutModule[]
  /** Returns the document's nonce to components, on the server only. @throws CachePrivate for a page with `cache` */
  nonce?: () => string
  /** Shown instead of the page while the next one is loading; in the browser only. */
  LoadingView?: ComponentType
  /** Element shown instead of the page, on the server only. The document then has no script. */
  replacement?: ReactElement
  /** Markup of a document without script, shown in place; in the browser only. */
  html?: string
  /** The `ctx` of the page's functions; on the server only. */
  context?: object
  /**
   * A new value resets the state of a page that would otherwise keep it.
   * @default undefined
   */
  resetKey?: number
  /** True while the view is loading and another page is shown; in the browser only. */
  isPending?: boolean
  /** Resolves when the view is mounted, or taken back; in the browser only. */
  settled?: Promise<void>
}

/**
 * Renders the element tree of a view, the same on both sides: layouts around a boundary around the page. A layout with
 * views has a boundary of its own.
 */
export function ViewTree({ view, retry }: { view: View; retry?: () => void }) {
  const { payload, layouts } = view
  const innermost = layouts.length - 1
  const bound = (inner: ReactElement, depth: number) => (
    <InLayout value={depth >= 0}>
      {/* On the server, a boundary would catch nothing, and would not change the markup. */}
      {import.meta.env.SSR ? (
        inner
      ) : (
        <Boundary shown={view} depth={depth} retry={retry}>
          {inner}
        </Boundary>
      )}
    </InLayout>
  )
  let tree = bound(<ViewContent view={view} retry={retry} />, innermost)
  for (let i = innermost; i >= 0; i--) {
    const { default: Layout, ErrorView, NotFoundView } = layouts[i]!
    if (i < innermost && (ErrorView || NotFoundView)) tree = bound(tree, i)
    tree = <Layout data={payload.layoutData[i]}>{tree}</Layout>
  }
  return <ShownView value={view}>{bound(tree, -1)}</ShownView>
}

function ViewContent({ view, retry }: { view: View; retry?: () => void }) {
  const { payload, page, layouts, LoadingView, replacement, html, resetKey = '' } = view
  const { outcome, error, pathname, ownFallback } = payload
  // The server sends layouts up to the one whose view is shown.
  const views = ownFallback ? undefined : layouts.at(-1)
  if (LoadingView) return <LoadingView />
  if (replacement) return replacement
  if (html !== undefined) return <div className="shell-document" dangerouslySetInnerHTML={{ __html: html }} />
  if (outcome) return <OutcomeFallback outcome={outcome} pathname={pathname} View={views?.NotFoundView} />
  if (error) {
    const View = views?.ErrorView ?? fallbacks.ErrorFallback
    return <View host={location.hostname} {...error} retry={retry} />
  }
  if (!page) return null
  const { Component, clientOnly } = page
  // A new path is a new page with its own state; a new query is the same page. No path has a space.
  const key = `${pathname} ${resetKey}`
  const element = <Component key={key} data={payload.data} params={payload.params} form={payload.form} />
  const Placeholder = layouts.findLast((layout) => layout.LoadingView)?.LoadingView
  // This boundary allows hydration of a document around a page whose stream was cut. With a key, it is new for each page,
  // so that a navigation shows the loading view of a page that suspends.
  return (
    <Suspense key={Placeholder && key} fallback={Placeholder ? <Placeholder /> : <Waiting view={view} />}>
      {clientOnly ? <InBrowser>{element}</InBrowser> : element}
    </Suspense>
  )
}

/**
 * Placeholder of a suspended page: empty in a document, whose stream delivers the page. An arriving page suspends as a
 * whole: if its layouts are new, so is its boundary, which would otherwise be shown empty, possibly forever. If a layout
 * has a boundary of its own, React mounts the view with the fallback of that boundary, which this placeholder then ends:
 * React renders the boundary again only for a promise that it has seen.
 */
function Waiting({ view }: { view: View }) {
  if (view.isPending) use(view.settled!)
  return null
}

const never = () => () => {}

function InBrowser({ children }: { children: ReactNode }) {
  return useSyncExternalStore(
    never,
    () => true,
    () => false
  )
    ? children
    : NO_SCRIPT
}

/** Shown in the place of a page that only the browser renders, if scripts are disabled. */
const NO_SCRIPT = (
  <noscript>
    <p>This page is rendered in the browser and needs JavaScript. Turn on JavaScript, then reload the page.</p>
  </noscript>
)
