import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { LOG_LEVELS } from '../../store/model.ts'
import { LogsView } from '../components/logs-view.tsx'
import { toView } from '../view.ts'
import { clipLogs } from '../view-models/clip.ts'
import { toQuery } from '../view-models/list-params.ts'
import { toNames } from '../view-models/project-names.ts'

export const layout = 'inbox'

/** Maximum characters of a search in an address. */
const MAX_QUERY = 500

export async function getData(ctx: Ctx) {
  const { search } = ctx
  const { queries } = await requireReader(ctx)
  const view = toView(search, Date.now())
  const query = toQuery(search.get('q') ?? '').slice(0, MAX_QUERY)
  const level = LOG_LEVELS.find((name) => name === search.get('level'))
  const trace = search.get('trace') ?? ''
  const traceId = /^[\da-f]{32}$/.test(trace) ? trace : undefined
  const cursor = search.get('cursor') ?? undefined
  const [projects, list] = await Promise.all([
    queries.listProjects(),
    queries.listLogs({ view, query, level, traceId, cursor })
  ])
  const isTail = cursor === undefined && search.get('tail') === 'on'
  return {
    view,
    query,
    level,
    traceId,
    isTail,
    projects: toNames(projects),
    list: { ...list, lines: clipLogs(list.lines) }
  }
}

export const getMeta = () => ({ title: 'Logs · Inbox', robots: 'noindex' })

export default function LogsPage({ data }: PageProps<typeof getData>) {
  return <LogsView {...data} />
}
