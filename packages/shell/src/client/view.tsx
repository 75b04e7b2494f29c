import { Suspense, use, useSyncExternalStore, type ReactElement, type ReactNode } from 'react'
import type { PagePayload } from '../routing/payload.ts'
import { Boundary } from './boundary.tsx'
import type { LayoutModule, PageModule } from './contract.ts'
import { ErrorFallback, OutcomeFallback } from './fallbacks.tsx'
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
  layouts: Array<LayoutModule['default']>
  /** Returns the document's nonce to components, on the server only. @throws CachePrivate for a page with `cache` */
  nonce?: () => string
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
}

/** Renders the element tree of a view, the same on both sides: layouts around a boundary around the page. */
export function ViewTree({ view, retry }: { view: View; retry?: () => void }) {
  const { payload, layouts } = view
  let tree = (
    <InLayout value={layouts.length > 0}>{bound(<ViewContent view={view} retry={retry} />, view, retry)}</InLayout>
  )
  for (let i = layouts.length - 1; i >= 0; i--) {
    const Layout = layouts[i]!
    tree = <Layout data={payload.layoutData[i]}>{tree}</Layout>
  }
  return <ShownView value={view}>{bound(tree, view, retry)}</ShownView>
}

/** Omits the boundary on the server, where it would catch nothing, and would not change the markup. */
function bound(tree: ReactElement, view: View, retry?: () => void): ReactElement {
  if (import.meta.env.SSR) return tree
  return (
    <Boundary shown={view} retry={retry}>
      {tree}
    </Boundary>
  )
}

function ViewContent({ view, retry }: { view: View; retry?: () => void }) {
  const { payload, page, replacement, html, resetKey = '' } = view
  const { outcome, error, pathname } = payload
  if (replacement) return replacement
  if (html !== undefined) return <div className="shell-document" dangerouslySetInnerHTML={{ __html: html }} />
  if (outcome) return <OutcomeFallback outcome={outcome} pathname={pathname} />
  if (error) return <ErrorFallback host={location.hostname} {...error} retry={retry} />
  if (!page) return null
  const { Component, clientOnly } = page
  // A new path is a new page with its own state; a new query is the same page.
  const element = (
    <Component key={pathname + resetKey} data={payload.data} params={payload.params} form={payload.form} />
  )
  // This boundary allows hydration of a document around a page whose stream was cut.
  return (
    <Suspense fallback={<Waiting view={view} />}>{clientOnly ? <InBrowser>{element}</InBrowser> : element}</Suspense>
  )
}

/**
 * Placeholder of a suspended page: empty in a document, whose stream delivers the page. An arriving page suspends as a
 * whole: if its layouts are new, so is its boundary, which would otherwise be shown empty, possibly forever.
 */
function Waiting({ view }: { view: View }) {
  return view.isPending ? use(forever) : null
}

const forever = new Promise<never>(() => {})

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
