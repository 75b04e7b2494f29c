import { withView, type InboxView } from '../view.ts'
import { FILTERS, writeSearch, type NewFilter } from '../search/index.ts'
import { toVisibleText } from '@hull/common/visible-text.ts'
import type { TagShare } from '../../queries/types.ts'
import { countOf, formatShare } from './numbers.ts'
import { Text } from './text.tsx'

/** Values of each tag, most frequent first, with bars for their shares. */
export function TagShares({ tags, view }: { tags: TagShare[]; view: InboxView }) {
  return (
    <div className="shares">
      {tags.map(({ name, values, others }) => (
        <div key={name} className="share">
          <h3>
            <Text max={60}>{name}</Text>
          </h3>
          <ul>
            {values.map(({ value, events, share }) => (
              <li key={value}>
                <a href={searchFor(name, value, view)} title={countOf(events, 'event')}>
                  {value === '' ? '(none)' : <Text max={60}>{value}</Text>}
                </a>
                <span className="share-percent">{formatShare(share)}</span>
                <ShareBar share={share} label={`${toVisibleText(value).slice(0, 60)}: ${formatShare(share)}`} />
              </li>
            ))}
            {others > 0 && <li className="quiet">{`${countOf(others, 'event')} with other values`}</li>}
          </ul>
        </div>
      ))}
    </div>
  )
}

function ShareBar({ share, label }: { share: number; label: string }) {
  return (
    <svg className="share-bar" role="img" aria-label={label}>
      <rect className="share-ground" width="100%" height="100%" />
      <rect width={`${Math.round(Math.min(Math.max(share, 0.005), 1) * 1_000) / 10}%`} height="100%" />
    </svg>
  )
}

/** Link to issues in any state with the same value. */
function searchFor(name: string, value: string, view: InboxView): string {
  const filter: NewFilter = FILTERS.some((known) => known === name && known !== 'tag')
    ? { name: name as NewFilter['name'], value }
    : { name: 'tag', tag: name, value }
  const term = { kind: 'filter', negated: false, position: 0, ...filter } as const
  return withView(`/inbox/issues?${new URLSearchParams({ q: writeSearch({ terms: [term] }) })}`, view)
}
