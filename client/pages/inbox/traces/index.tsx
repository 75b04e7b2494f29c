import type { Ctx, PageProps } from '#shell'
import { toView } from '../../../../lib/common/inbox-view.ts'
import { toTracesAsked } from '../../../../lib/inbox/screens/traces-asked.ts'
import { TracesView } from '../../../components/inbox/traces-view.tsx'

export const layout = 'inbox'

/** Routes in the table, and traces on a page. */
const ROUTES = 50
const TRACES = 30

export async function getData({ server, search }: Ctx) {
  const view = toView(search, Date.now())
  const asked = toTracesAsked(search)
  const { queries } = server.inbox!
  const [routes, { traces, next }] = await Promise.all([
    queries.listRoutes({ view, sort: asked.by, limit: ROUTES }),
    queries.listTraces({ view, route: asked.route, sort: asked.sort, cursor: asked.cursor, limit: TRACES })
  ])
  const shown =
    asked.route === undefined
      ? routes[0]
      : (routes.find(({ route, side }) => route === asked.route && side === (asked.side ?? side)) ?? {
          route: asked.route,
          side: asked.side ?? 'server'
        })
  const heat = shown && (await queries.getHeatMap({ view, route: shown.route, side: shown.side }))
  return { view, asked, routes, traces, next, heat: heat && { ...heat, route: shown.route, side: shown.side } }
}

export const getMeta = () => ({ title: 'Traces · Inbox', robots: 'noindex' })

export default function TracesPage({ data }: PageProps<typeof getData>) {
  return <TracesView {...data} />
}
