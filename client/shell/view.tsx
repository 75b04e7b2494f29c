import { Suspense, useSyncExternalStore, type ReactElement, type ReactNode } from 'react'
import type { PagePayload } from '../../lib/common/payload.ts'
import { Boundary } from './boundary.tsx'
import type { LayoutModule, PageModule } from './contract.ts'
import { OutcomeFallback } from './fallbacks.tsx'

/** One page ready to be shown: its payload and the components for it. */
export interface View {
  payload: PagePayload
  /** Null where an outcome or an error stands in the page's place. */
  page: { Component: PageModule['default']; clientOnly: boolean } | null
  /** Outermost first, as in `payload.layouts`. */
  layouts: Array<LayoutModule['default']>
  /** Shown in the page's place, on the server only: the document has no script then. */
  standIn?: ReactElement
}

/** The element tree of a view, the same on both sides: layouts folded around a boundary around the page. */
export function ViewTree({ view, retry }: { view: View; retry?: () => void }) {
  const { payload, layouts } = view
  let tree = (
    <Boundary shown={payload} retry={retry}>
      <ViewContent view={view} />
    </Boundary>
  )
  for (let i = layouts.length - 1; i >= 0; i--) {
    const Layout = layouts[i]!
    tree = <Layout data={payload.layoutData[i]}>{tree}</Layout>
  }
  return (
    <Boundary shown={payload} retry={retry}>
      {tree}
    </Boundary>
  )
}

function ViewContent({ view: { payload, page, standIn } }: { view: View }) {
  if (standIn) return standIn
  if (payload.outcome) return <OutcomeFallback outcome={payload.outcome} pathname={payload.pathname} />
  if (!page) return null
  const { Component, clientOnly } = page
  const element = <Component data={payload.data} params={payload.params} form={payload.form} />
  // The boundary lets a document hydrate around a page whose stream was cut.
  return <Suspense fallback={null}>{clientOnly ? <InBrowser>{element}</InBrowser> : element}</Suspense>
}

const never = () => () => {}

function InBrowser({ children }: { children: ReactNode }) {
  return useSyncExternalStore(
    never,
    () => true,
    () => false
  )
    ? children
    : null
}
