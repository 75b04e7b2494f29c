import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../../access/guard.ts'
import { MAX_TRACE_COUNT, toView, withView, type InboxView } from '../../view.ts'
import { toTracesParams, type TracesParams } from '../../view-models/traces-params.ts'
import { toPagingForward } from '../../view-models/paging.ts'
import type { TraceRow } from '../../../queries/traces/trace-types.ts'
import type { RouteRow } from '../../../queries/performance/performance-types.ts'
import { HeatMap } from '../../components/charts/heat-map.tsx'
import { formatMs, formatShare } from '../../components/shared/format.ts'
import { Empty, PageHead, Pager, SampleLink, Section, Tabs } from '../../components/shared/parts.tsx'
import { useRangePhrase, useRangeWords } from '../../components/shared/pickers.tsx'
import { CountCell, Table } from '../../components/shared/table.tsx'
import { Text } from '../../components/shared/text.tsx'
import { TimeAgo } from '../../components/shared/time.tsx'
import '../../components/traces/traces.css'

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

type Data = PageProps<typeof getData>['data']

/** Durations by route, the distribution of one route, and single traces. */
export default function TracesPage({ data }: PageProps<typeof getData>) {
  const { view, params, routes, hasMore, traces, paging, heat } = data
  const words = useRangeWords(view)
  if (routes.length === 0 && traces.length === 0) return <NoTraces {...data} />
  const toHref = (changes: Partial<TracesParams>) =>
    withView(`/inbox/traces?${queryOf({ ...params, ...changes })}`, view)
  return (
    <>
      <PageHead title={`Traces, ${words}`} />
      <div className="traces-routes">
        <Routes routes={routes} hasMore={hasMore} params={params} shown={heat} toHref={toHref} />
        {heat && (
          <Section id="heat" title="Duration" aside={<SideName side={heat.side} />}>
            <p className="mono traces-shown">
              <Text max={60}>{heat.route}</Text>
            </p>
            <HeatMap heat={heat} />
          </Section>
        )}
      </div>
      <Section
        id="traces"
        title={params.route === undefined ? 'Recent traces' : 'Traces of this route'}
        aside={
          <Tabs
            label="Order"
            tabs={[
              { href: toHref({ sort: 'newest' }), label: 'Newest', isCurrent: params.sort === 'newest' },
              { href: toHref({ sort: 'slowest' }), label: 'Slowest', isCurrent: params.sort === 'slowest' }
            ]}
          />
        }
      >
        {traces.length === 0 ? (
          <Empty title="No stored traces">
            <p>Traces are deleted after the retention period; the numbers above can cover a longer time.</p>
          </Empty>
        ) : (
          <Traces traces={traces} view={view} />
        )}
        <Pager paging={paging} here={toHref({})} most={MAX_TRACE_COUNT} />
      </Section>
    </>
  )
}

function queryOf({ route, side, by, sort, isLong }: TracesParams): URLSearchParams {
  const query = new URLSearchParams()
  if (route !== undefined) query.set('route', route)
  if (route !== undefined && side !== undefined) query.set('side', side)
  if (by !== 'requests') query.set('by', by)
  if (sort !== 'newest') query.set('sort', sort)
  if (isLong) query.set('routes', 'all')
  return query
}

type RoutesProps = Pick<Data, 'routes' | 'hasMore' | 'params'> & {
  shown?: { route: string; side: RouteRow['side'] }
  toHref: (changes: Partial<TracesParams>) => string
}

function Routes({ routes, hasMore, params, shown, toHref }: RoutesProps) {
  const slowest = Math.max(1, ...routes.map(({ p95 }) => p95))
  const sorted = (by: TracesParams['by'], label: string) => ({
    label,
    className: 'number',
    href: toHref({ by }),
    isSorted: params.by === by
  })
  return (
    <Section
      id="routes"
      title="Routes"
      aside={
        params.route === undefined ? undefined : (
          <a href={toHref({ route: undefined, side: undefined })} data-keep-scroll>
            All routes
          </a>
        )
      }
    >
      {routes.length === 0 ? (
        <p className="lead">No request, page load or navigation was received in this time.</p>
      ) : (
        <Table
          columns={[
            'Route',
            sorted('requests', 'Requests'),
            { label: 'p50', className: 'number routes-detail' },
            { label: 'p75', className: 'number routes-detail' },
            sorted('p95', 'p95'),
            { label: 'Shape', className: 'routes-spread', isHidden: true },
            sorted('errors', 'Failed')
          ]}
          className="routes"
        >
          {routes.map((row) => {
            const { route, side, requests, errors, p50, p75, p95 } = row
            const isShown = route === shown?.route && side === shown.side
            return (
              <tr key={`${side} ${route}`} aria-current={isShown ? 'true' : undefined}>
                <th scope="row">
                  <a className="row-name" href={toHref({ route, side })} data-keep-scroll>
                    <Text max={80}>{route}</Text>
                  </a>{' '}
                  <SideName side={side} />
                </th>
                <CountCell of={requests} />
                <td className="number routes-detail">{formatMs(p50)}</td>
                <td className="number routes-detail">{formatMs(p75)}</td>
                <td className="number">
                  <b>{formatMs(p95)}</b>
                </td>
                <td className="routes-spread">
                  <Spread row={row} most={slowest} />
                </td>
                <td className="number">
                  {errors === 0 ? (
                    <span className="quiet">0</span>
                  ) : (
                    <span className="traces-failed" title={`${errors} of ${requests}`}>
                      {formatShare(errors / requests)}
                    </span>
                  )}
                </td>
              </tr>
            )
          })}
        </Table>
      )}
      {hasMore && !params.isLong && (
        <p className="routes-more">
          <a href={toHref({ isLong: true })} data-keep-scroll>
            Show all routes
          </a>
        </p>
      )}
      {hasMore && params.isLong && <p className="quiet">There are more routes, which are not listed.</p>}
    </Section>
  )
}

/** Bar from the median to p95. All rows share a square root scale, so that fast routes differ as well. */
function Spread({ row: { p50, p75, p95 }, most }: { row: RouteRow; most: number }) {
  const toX = (ms: number) => Math.round(Math.sqrt(ms / most) * 1_000) / 10
  return (
    <svg className="spread" height="12" aria-hidden="true">
      <line className="spread-ground" x1="0" x2="100%" y1="6" y2="6" />
      <line className="spread-range" x1={`${toX(p50)}%`} x2={`${toX(p95)}%`} y1="6" y2="6" />
      <circle className="spread-p50" cx={`${toX(p50)}%`} cy="6" r="2.5" />
      <circle className="spread-p75" cx={`${toX(p75)}%`} cy="6" r="2.5" />
      <rect className="spread-p95" x={`${toX(p95)}%`} y="1" width="2" height="10" />
    </svg>
  )
}

function SideName({ side }: { side: RouteRow['side'] }) {
  return <span className={`side side-${side}`}>{side === 'browser' ? 'client' : 'server'}</span>
}

/** Statuses other than `ok`. */
const STATUSES = { error: ['bad', 'failed'], cancelled: ['quiet', 'cancelled'] } as const

function Traces({ traces, view }: { traces: TraceRow[]; view: InboxView }) {
  const longest = Math.max(...traces.map(({ duration }) => duration)) || 1
  return (
    <Table
      columns={[
        'Trace',
        { label: 'Duration', className: 'number' },
        { label: 'Duration, compared', className: 'traces-bar', isHidden: true },
        'Status',
        'Started',
        { label: 'Release', className: 'traces-release' }
      ]}
      className="traces"
    >
      {traces.map(({ traceId, name, side, duration, status, start, release }) => (
        <tr key={traceId} data-row>
          <th scope="row">
            <a className="row-name" href={withView(`/inbox/traces/${traceId}`, view)} data-row-link>
              <Text max={80}>{name}</Text>
            </a>{' '}
            <SideName side={side} />
          </th>
          <td className="number">{formatMs(duration)}</td>
          <td className="traces-bar">
            <DurationBar share={duration / longest} side={side} />
          </td>
          <td>
            <Status status={status} />
          </td>
          <td>
            <TimeAgo at={start} />
          </td>
          <td className="traces-release">
            {release === undefined ? <span className="quiet">none</span> : <Text max={24}>{release}</Text>}
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Status({ status }: Pick<TraceRow, 'status'>) {
  if (status === 'ok') return <span className="quiet">ok</span>
  const [kind, word] = STATUSES[status]
  return <span className={`state state-${kind}`}>{word}</span>
}

function DurationBar({ share, side }: { share: number; side: TraceRow['side'] }) {
  return (
    <svg className={`trace-bar trace-bar-${side}`} height="8" aria-hidden="true">
      <rect width={`${Math.max(0.5, Math.round(share * 1_000) / 10)}%`} height="8" rx="2" />
    </svg>
  )
}

function NoTraces({ view, sample, isAlone }: Pick<Data, 'view' | 'sample' | 'isAlone'>) {
  const range = useRangePhrase(view)
  return (
    <>
      <PageHead title="Traces" />
      <Empty title={`No traces ${range}`}>
        <p>
          Every sampled request and page load appears here.{' '}
          <code>{isAlone ? 'tracesSampleRate' : 'TRACES_SAMPLE_RATE'}</code>
          {isAlone && ' in the SDK of a service'} sets the share that is sampled.
        </p>
        <SampleLink link={sample?.page} />
      </Empty>
    </>
  )
}
