import { Suspense, use, useSyncExternalStore, type ReactElement, type ReactNode } from 'react'
import type { PagePayload } from '../routing/payload.ts'
import { Boundary } from './boundary.tsx'
import type { LayoutModule, PageModule } from './contract.ts'
import { ErrorFallback, OutcomeFallback } from './fallbacks.tsx'
import { InLayout } from './in-layout.ts'
import { ShownView } from './route.ts'

/** One page ready to be shown: its payload and the components for it. */
export interface View {
  payload: PagePayload
  /** The query of its address, with its question mark. */
  search: string
  /** Null where an outcome or an error stands in the page's place. */
  page: { Component: PageModule['default']; clientOnly: boolean } | null
  /** Outermost first, as in `payload.layouts`. */
  layouts: Array<LayoutModule['default']>
  /** Gives the document's nonce to components, on the server only. @throws CachePrivate for a page with `cache` */
  nonce?: () => string
  /** Shown in the page's place, on the server only: the document has no script then. */
  standIn?: ReactElement
  /** Markup of a document that has no script, shown in place; in the browser only. */
  html?: string
  /** What the page's functions were given; on the server only. */
  context?: object
  /** Another one makes a new page of what would otherwise keep its state. @default undefined */
  fresh?: number
  /** It is on its way, and another page shown as long as it takes; in the browser only. */
  isArriving?: boolean
}

/** The element tree of a view, the same on both sides: layouts folded around a boundary around the page. */
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

/** On the server a boundary catches nothing, and leaves no trace in the markup: there it is left out. */
function bound(tree: ReactElement, view: View, retry?: () => void): ReactElement {
  if (import.meta.env.SSR) return tree
  return (
    <Boundary shown={view} retry={retry}>
      {tree}
    </Boundary>
  )
}

function ViewContent({ view, retry }: { view: View; retry?: () => void }) {
  const { payload, page, standIn, html, fresh = '' } = view
  const { outcome, error, pathname } = payload
  if (standIn) return standIn
  if (html !== undefined) return <div className="shell-document" dangerouslySetInnerHTML={{ __html: html }} />
  if (outcome) return <OutcomeFallback outcome={outcome} pathname={pathname} />
  if (error) return <ErrorFallback host={location.hostname} {...error} retry={retry} />
  if (!page) return null
  const { Component, clientOnly } = page
  // Another path is another page, whose state is its own; another query is the same page.
  const element = <Component key={pathname + fresh} data={payload.data} params={payload.params} form={payload.form} />
  // The boundary lets a document hydrate around a page whose stream was cut.
  return (
    <Suspense fallback={<Waiting view={view} />}>{clientOnly ? <InBrowser>{element}</InBrowser> : element}</Suspense>
  )
}

/**
 * In place of a page that suspends: nothing in a document, whose stream brings it. A page on its way has to wait as a
 * whole: its boundary is a new one when its layouts are, and would be shown empty, for ever if need be.
 */
function Waiting({ view }: { view: View }) {
  return view.isArriving ? use(forever) : null
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

/** Shown in place of a page that only the browser renders, where no script runs. */
const NO_SCRIPT = (
  <noscript>
    <p>This page is rendered in the browser and needs JavaScript. Turn on JavaScript, then reload the page.</p>
  </noscript>
)
