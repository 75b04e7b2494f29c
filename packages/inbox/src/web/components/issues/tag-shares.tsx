import { withView, type InboxView } from '../../view.ts'
import { writeExactFilter, type NewFilter } from '../../search/index.ts'
import type { TagShare } from '../../../queries/issues/issue-types.ts'
import { countOf, formatShare } from '../shared/format.ts'
import { Text } from '../shared/text.tsx'

interface TagSharesProps {
  tags: TagShare[]
  /** Level of the headings. @default none */
  headings?: 'h2' | 'h3' | undefined
  className?: string
  /** Address of a tag. */
  tagHref: (name: string) => string
  /** Address of a value. */
  valueHref: (name: string, value: string) => string
}

/** Values of each tag, most frequent first, with bars for their shares. */
export function TagShares({ tags, headings: Heading, className = 'shares', tagHref, valueHref }: TagSharesProps) {
  return (
    <div className={className}>
      {tags.map(({ name, values, others }) => (
        <div key={name} className="share">
          {Heading && (
            <Heading>
              <a href={tagHref(name)}>
                <Text max={60}>{name}</Text>
              </a>
            </Heading>
          )}
          <ul>
            {values.map(({ value, events, share }) => (
              <li key={value}>
                <a href={valueHref(name, value)} title={countOf(events, 'event')}>
                  <Text max={200}>{value}</Text>
                </a>
                <span className="share-percent">{formatShare(share)}</span>
                <ShareBar share={share} />
              </li>
            ))}
            {others > 0 && <li className="quiet">{`${countOf(others, 'event')} with other values`}</li>}
          </ul>
        </div>
      ))}
    </div>
  )
}

/** The share as a bar. The text beside it says the same. */
function ShareBar({ share }: { share: number }) {
  return (
    <svg className="share-bar" aria-hidden="true">
      <rect className="share-ground" width="100%" height="100%" />
      <rect width={`${Math.round(Math.min(Math.max(share, 0.005), 1) * 1_000) / 10}%`} height="100%" />
    </svg>
  )
}

/** Filters that find a tag of the same name. Others, such as `first` and `user`, mean something else. */
const TAG_FILTERS = ['release', 'environment', 'url', 'browser', 'os'] as const

/** Issues in any state with the same value. */
export function toIssuesHref(view: InboxView, name: string, value: string): string {
  const known = TAG_FILTERS.find((filter) => filter === name)
  const filter: NewFilter = known ? { name: known, value } : { name: 'tag', tag: name, value }
  return withView(`/inbox/issues?${searchFor(filter)}`, view)
}

/** Events of the issue with the value. */
export const toEventsHref = (id: number, view: InboxView, name: string, value: string): string =>
  withView(`/inbox/issues/${id}/events?${searchFor({ name: 'tag', tag: name, value })}`, view)

/** All values of a tag of the issue; without a name, all tags. */
export const toTagsHref = (id: number, view: InboxView, name?: string): string =>
  withView(`/inbox/issues/${id}/tags${name === undefined ? '' : `?${new URLSearchParams({ tag: name })}`}`, view)

const searchFor = (filter: NewFilter) => new URLSearchParams({ q: writeExactFilter(filter) })
