import { Link } from '@hull/shell/client'
import type { SpanPanelData } from '../../view-models/span-panel.ts'
import { countOf, formatMs } from '../shared/format.ts'
import { KeyValues } from '../shared/parts.tsx'
import { Text } from '../shared/text.tsx'

const STATUSES = { ok: ['good', 'Succeeded'], error: ['bad', 'Failed'], cancelled: ['quiet', 'Cancelled'] } as const

interface SpanPanelProps {
  span: SpanPanelData
  /** Address of the trace without this panel. */
  closeHref: string
}

/** Details of the selected span. */
export function SpanPanel({ span, closeHref }: SpanPanelProps) {
  const { name, op, side, status, start, duration, self, children, isOrphan, shifted, attributes } = span
  const [kind, word] = STATUSES[status]
  const facts: [string, string][] = [
    ['Operation', op === '' ? 'none' : op],
    ['Side', side === 'browser' ? 'Client' : 'Server'],
    ['Starts after', formatMs(start)],
    ['Duration', formatMs(duration)],
    ['Self time', children === 0 ? 'all of it' : `${formatMs(self)}, without ${countOf(children, 'child span')}`],
    ['Release', span.release ?? 'none'],
    ['Environment', span.environment === '' ? 'none' : span.environment],
    ['Span id', span.spanId],
    ['Parent span', span.parentId === undefined ? 'none' : `${span.parentId}${isOrphan ? ' (not received)' : ''}`]
  ]
  return (
    <aside className="span-panel" aria-labelledby="span-name">
      <header>
        <h2 id="span-name">
          <Text max={200}>{name}</Text>
        </h2>
        <Link className="span-close" href={closeHref} keepScroll aria-label="Close" title="Close">
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path d="m2 2 8 8m0-8-8 8" stroke="currentColor" strokeWidth="1.5" />
          </svg>
        </Link>
        <p className={`state state-${kind}`}>{word}</p>
      </header>
      {shifted !== undefined && (
        <p className="quiet">
          {`The server's clock was ${formatMs(Math.abs(shifted))} ${shifted > 0 ? 'behind' : 'ahead of'} the browser's; it is drawn where it fits.`}
        </p>
      )}
      <KeyValues rows={facts} label="Span" />
      {attributes.length > 0 && (
        <>
          <h3>Attributes</h3>
          <KeyValues rows={attributes} label="Attributes" />
        </>
      )}
    </aside>
  )
}
