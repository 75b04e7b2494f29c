import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../../access/guard.ts'
import { MAX_TRACE_COUNT, toView } from '../../view.ts'
import { toTracesParams } from '../../view-models/traces-params.ts'
import { toPagingForward } from '../../view-models/paging.ts'
import { TracesView } from '../../components/traces/traces-view.tsx'

export const layout = 'inbox'

/** Routes in the table at first, routes in the full table, and traces per page. */
const ROUTES = 20
const ALL_ROUTES = 200
const TRACES = 30

export async function getData(ctx: Ctx) {
  const { server, search } = ctx
  const view = toView(search, Date.now())
  const params = toTracesParams(search)
  const { queries } = await requireReader(ctx)
  const limit = params.isLong ? ALL_ROUTES : ROUTES
  const [found, { traces, next, total }] = await Promise.all([
    // Reads one row more than it shows, to know whether there are more.
    queries.listRoutes({ view, sort: params.by, limit: limit + 1 }),
    queries.listTraces({ view, route: params.route, sort: params.sort, cursor: params.page.cursor, limit: TRACES })
  ])
  const routes = found.slice(0, limit)
  const shown =
    params.route === undefined
      ? routes[0]
      : (routes.find(({ route, side }) => route === params.route && side === (params.side ?? side)) ?? {
          route: params.route,
          side: params.side ?? 'server'
        })
  const heat = shown && (await queries.getHeatMap({ view, route: shown.route, side: shown.side }))
  return {
    view,
    params,
    routes,
    hasMore: found.length > limit,
    traces,
    paging: toPagingForward({ rows: traces.length, size: TRACES, total, most: MAX_TRACE_COUNT, next }, params.page),
    sample: server.inboxSetup.sample,
    isAlone: server.inboxSetup.isAlone,
    heat: heat && { ...heat, route: shown.route, side: shown.side }
  }
}

export const getMeta = () => ({ title: 'Traces · Inbox', robots: 'noindex' })

export default function TracesPage({ data }: PageProps<typeof getData>) {
  return <TracesView {...data} />
}
