import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import type { TagShare } from '../../../queries/issues/issue-types.ts'
import { withView, type InboxView } from '../../view.ts'
import { Crumbs, Empty, PageHead } from '../shared/parts.tsx'
import { TagShares, toEventsHref, toTagsHref } from './tag-shares.tsx'
import './issue.css'

interface IssueTagsProps {
  /** The issue's id. */
  id: number
  title: string
  /** All tags, or the one with the name. */
  tags: TagShare[]
  name?: string | undefined
  view: InboxView
}

/** The tags of an issue with their values by share. Each value leads to its events. */
export function IssueTagsView({ id, title, tags, name, view }: IssueTagsProps) {
  const heading = name === undefined ? 'Tags' : `Tag ${clip(toVisibleText(name), 60)}`
  return (
    <article className="part">
      <Crumbs
        above={[
          { href: withView('/inbox/issues', view), label: 'Issues' },
          { href: withView(`/inbox/issues/${id}`, view), label: title }
        ]}
        here={heading}
      />
      <PageHead title={heading}>
        {name !== undefined && (
          <p className="row">
            <a href={toTagsHref(id, view)}>All tags</a>
          </p>
        )}
      </PageHead>
      <p className="lead">All events of the issue, by their share. A value leads to its events.</p>
      {tags.length === 0 ? (
        <Empty title="No event of this issue has a tag" />
      ) : (
        <TagShares
          tags={tags}
          headings={name === undefined ? 'h2' : undefined}
          className={name === undefined ? 'shares' : 'shares-one'}
          tagHref={(tag) => toTagsHref(id, view, tag)}
          valueHref={(tag, value) => toEventsHref(id, view, tag, value)}
        />
      )}
    </article>
  )
}
