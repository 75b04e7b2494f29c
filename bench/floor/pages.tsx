import type { ReactNode } from 'react'
import { toReport, type Item, type Report, type Row, type Settled } from '../tree/data.ts'
import { Deep, deepTitle } from '../tree/deep.tsx'
import { Detail, detailTitle } from '../tree/detail.tsx'
import { Home, homeTitle } from '../tree/home.tsx'
import { Layout } from '../tree/layout.tsx'
import { List, listTitle } from '../tree/list.tsx'
import { Order, orderTitle } from '../tree/order.tsx'
import { ReportPage, reportTitle } from '../tree/report.tsx'
import { Rows, rowsTitle } from '../tree/rows.tsx'

/** Data of a page, which the document contains as JSON for hydration. */
export type Payload = { path: string } & (
  | { page: 'home'; data: { greeting: string } }
  | { page: 'list'; data: { items: Item[] } }
  | { page: 'item'; data: { item: Item } }
  | { page: 'rows'; data: { rows: Row[] } }
  | { page: 'report'; data: Settled }
  | { page: 'deep' }
  | { page: 'order' }
)

/** Creates the element of a page, which the server renders and the browser hydrates. */
export function createPage(payload: Payload): ReactNode {
  return toElement(payload.path, toContent(payload))
}

/** Creates the element of a report whose promises are still pending. */
export function createOpenReport(path: string, report: Report): ReactNode {
  return toElement(path, <ReportPage {...report} />)
}

const toElement = (path: string, content: ReactNode) => (
  <Layout path={path} Link="a">
    {content}
  </Layout>
)

function toContent(payload: Payload): ReactNode {
  switch (payload.page) {
    case 'home':
      return <Home {...payload.data} Link="a" />
    case 'list':
      return <List {...payload.data} Link="a" />
    case 'item':
      return <Detail {...payload.data} Link="a" />
    case 'rows':
      return <Rows {...payload.data} />
    case 'report':
      return <ReportPage {...toReport(payload.data)} />
    case 'deep':
      return <Deep />
    case 'order':
      return <Order />
  }
}

const TITLES = {
  home: homeTitle,
  list: listTitle,
  rows: rowsTitle,
  report: reportTitle,
  deep: deepTitle,
  order: orderTitle
}

export const toTitle = (payload: Payload): string =>
  payload.page === 'item' ? detailTitle(payload.data.item) : TITLES[payload.page]
