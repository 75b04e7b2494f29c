import { withView, type InboxView } from '../../view.ts'
import type { Side } from '../../../store/model.ts'
import type { TraceHead } from '../../view-models/trace-head.ts'
import type { SpanPanelData } from '../../view-models/span-panel.ts'
import type { Waterfall as WaterfallData } from '../../view-models/waterfall.ts'
import { CopyButton } from '../shared/copy-button.tsx'
import { countOf, formatMs } from '../shared/format.ts'
import { Crumbs, Empty, Section } from '../shared/parts.tsx'
import { SpanPanel } from './span-panel.tsx'
import { Table } from '../shared/table.tsx'
import { Text } from '../shared/text.tsx'
import { Time, TimeAgo } from '../shared/time.tsx'
import { Waterfall } from './waterfall.tsx'
import './traces.css'

interface TraceViewProps {
  view: InboxView
  traceId: string
  head: TraceHead
  waterfall: WaterfallData
  errors: { issue: number; eventId: string; type: string; value: string; side: Side }[]
  hasMoreErrors: boolean
  logs: { at: number; level: string; body: string }[]
  hasMoreLogs: boolean
  span?: SpanPanelData
}

/** One trace: its waterfall, errors and log lines. */
export function TraceView(props: TraceViewProps) {
  const { view, traceId, head, waterfall, errors, hasMoreErrors, logs, hasMoreLogs, span } = props
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

function Log({ lines, hasMore, href }: { lines: TraceViewProps['logs']; hasMore: boolean; href: string }) {
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
