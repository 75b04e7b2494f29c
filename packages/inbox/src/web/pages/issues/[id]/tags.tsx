import { notFound, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import { requireReader } from '../../../../access/guard.ts'
import { shortTitle } from '../../../error-title.ts'
import { toView, withView } from '../../../view.ts'
import { getShownIssue } from '../../../view-models/find-issue.ts'
import { Crumbs, Empty, PageHead } from '../../../components/shared/parts.tsx'
import { TagShares, toEventsHref, toTagsHref } from '../../../components/issues/tag-shares.tsx'
import '../../../components/issues/issue.css'

export const layout = 'inbox'

/** Values of each tag on the screen of all tags. */
const VALUES = 5

/** As many as an issue stores for a tag: releases. */
const ALL_VALUES = 1_000

export async function getData(ctx: Ctx<'/inbox/issues/[id]/tags'>) {
  const { search } = ctx
  const { queries } = await requireReader(ctx)
  const view = toView(search, Date.now())
  const issue = await getShownIssue({ queries }, ctx, view, '/tags')
  const { id } = issue
  const name = search.get('tag') ?? undefined
  const all = await queries.listTags({ id, values: name === undefined ? VALUES : ALL_VALUES })
  const tags = name === undefined ? all : all.filter((tag) => tag.name === name)
  if (name !== undefined && tags.length === 0) notFound('No event of this issue has this tag.')
  return { id, title: shortTitle(issue), view, tags, name }
}

export const getMeta = ({ data: { title, name } }: MetaCtx<typeof getData>) => ({
  title: `${name === undefined ? 'Tags' : `Tag ${clip(toVisibleText(name), 60)}`} · ${title} · Inbox`,
  robots: 'noindex'
})

/** The tags of an issue with their values by share. Each value leads to its events. */
export default function IssueTagsPage({ data: { id, title, tags, name, view } }: PageProps<typeof getData>) {
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
