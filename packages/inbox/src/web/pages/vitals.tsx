import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { toView } from '../view.ts'
import { VitalsView } from '../components/vitals-view.tsx'

export const layout = 'inbox'

/** Maximum pages in the table, and maximum characters of a page in an address. */
const PAGES = 60
const MAX_PAGE = 300

export async function getData(ctx: Ctx) {
  const { server, search } = ctx
  const view = toView(search, Date.now())
  const requested = search.get('page')
  const page = requested !== null && requested !== '' && requested.length <= MAX_PAGE ? requested : undefined
  const { queries } = await requireReader(ctx)
  const [rows, trend] = await Promise.all([queries.listVitals({ view }), queries.listVitalTrend({ view, page })])
  const { sample } = server.inboxSetup
  return { view, page, rows: rows.slice(0, PAGES), more: Math.max(0, rows.length - PAGES), trend, sample }
}

export const getMeta = () => ({ title: 'Vitals · Inbox', robots: 'noindex' })

export default function VitalsPage({ data }: PageProps<typeof getData>) {
  return <VitalsView {...data} />
}
