import { notFound, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { requireReader } from '../../../access/guard.ts'
import { toView, withView } from '../../view.ts'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import { toSpanPanel } from '../../view-models/span-panel.ts'
import { toTraceHead } from '../../view-models/trace-head.ts'
import { toWaterfall } from '../../view-models/waterfall.ts'
import { CopyButton } from '../../components/shared/copy-button.tsx'
import { countOf, formatMs } from '../../components/shared/format.ts'
import { Crumbs, Empty, Section } from '../../components/shared/parts.tsx'
import { SpanPanel } from '../../components/traces/span-panel.tsx'
import { Table } from '../../components/shared/table.tsx'
import { Text } from '../../components/shared/text.tsx'
import { Time, TimeAgo } from '../../components/shared/time.tsx'
import { Waterfall } from '../../components/traces/waterfall.tsx'
import '../../components/traces/traces.css'

export const layout = 'inbox'

export async function getData(ctx: Ctx<'/inbox/traces/[id]'>) {
  const { params, search } = ctx
  const traceId = params.id.toLowerCase()
  if (!/^[\da-f]{32}$/.test(traceId)) notFound('A trace id has 32 hexadecimal digits.')
  const { queries } = await requireReader(ctx)
  const trace = await queries.getTrace({ traceId })
  return {
    view: toView(search, Date.now()),
    traceId,
    head: toTraceHead(trace),
    waterfall: toWaterfall(trace),
    hasMoreErrors: trace.hasMoreErrors,
    hasMoreLogs: trace.hasMoreLogs,
    errors: trace.errors.map(({ value, ...error }) => ({ ...error, value: clip(value, 300) })),
    logs: trace.logs.map(({ body, ...line }) => ({ ...line, body: clip(body, 2_000) })),
    span: toSpanPanel(trace, search.get('span'))
  }
}

export const getMeta = ({ data }: MetaCtx<typeof getData>) => ({
  title: `${toVisibleText(data.head.name)} · Trace · Inbox`,
  robots: 'noindex'
})

type Data = PageProps<typeof getData>['data']

/** One trace: its waterfall, errors and log lines. */
export default function TracePage({ data }: PageProps<typeof getData>) {
  const { view, traceId, head, waterfall, errors, hasMoreErrors, logs, hasMoreLogs, span } = data
  const here = withView(`/inbox/traces/${traceId}`, view)
  const hrefOf = (spanId: string) => withView(`/inbox/traces/${traceId}?span=${spanId}`, view)
  return (
    <>
      <header className="trace-head">
        <Crumbs above={[{ href: withView('/inbox/traces', view), label: 'Traces' }]} here={head.name} />
        <h1>
          <Text max={120}>{head.name}</Text>
        </h1>
        <p className="quiet trace-facts">
          <span>{formatMs(head.duration)}</span>
          <TimeAgo at={head.at} />
          <span>{countOf(head.spans, 'span')}</span>
          {errors.length > 0 && (
            <span className="state state-bad">{`${hasMoreErrors ? 'more than ' : ''}${countOf(errors.length, 'error')}`}</span>
          )}
          {head.releases.map((release) => (
            <span key={release}>
              release <Text max={40}>{release}</Text>
            </span>
          ))}
          <span className="trace-id">
            trace <code>{traceId}</code>{' '}
            <CopyButton text={traceId} className="copy-small">
              Copy
            </CopyButton>
          </span>
        </p>
      </header>
      {waterfall.rows.length === 0 ? (
        <Empty title="No spans in this trace">
          <p>This trace was not sampled, so only its errors and logs are stored.</p>
        </Empty>
      ) : (
        <div className={span ? 'trace-body trace-open' : 'trace-body'}>
          <Waterfall waterfall={waterfall} hrefOf={hrefOf} selected={span?.spanId} />
          {span && <SpanPanel span={span} closeHref={here} />}
        </div>
      )}
      {errors.length > 0 && (
        <Section id="errors" title="Errors">
          <ul className="trace-errors">
            {errors.map(({ issue, eventId, type, value, side }) => (
              <li key={eventId}>
                <a href={withView(`/inbox/issues/${issue}?event=${eventId}`, view)}>
                  <b>
                    <Text max={80}>{type}</Text>
                  </b>{' '}
                  <Text max={200}>{value}</Text>
                </a>{' '}
                <span className="quiet">{side === 'browser' ? 'on the client' : 'on the server'}</span>
              </li>
            ))}
          </ul>
          {hasMoreErrors && <p className="quiet small">{`The first ${countOf(errors.length, 'error')} are shown.`}</p>}
        </Section>
      )}
      {logs.length > 0 && (
        <Log lines={logs} hasMore={hasMoreLogs} href={withView(`/inbox/logs?trace=${traceId}`, view)} />
      )}
    </>
  )
}

function Log({ lines, hasMore, href }: { lines: Data['logs']; hasMore: boolean; href: string }) {
  return (
    <Section id="log" title="Log" aside={<a href={href}>Attributes and search</a>}>
      <Table columns={['When', 'Level', 'Line']} className="">
        {lines.map(({ at, level, body }, i) => (
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={i}>
            <td className="number">
              <Time at={at} />
            </td>
            <td>
              <Text max={20}>{level}</Text>
            </td>
            <td className="trace-line">
              <Text max={2_000}>{body}</Text>
            </td>
          </tr>
        ))}
      </Table>
      {hasMore && <p className="quiet small">{`The first ${countOf(lines.length, 'line')} are shown.`}</p>}
    </Section>
  )
}
