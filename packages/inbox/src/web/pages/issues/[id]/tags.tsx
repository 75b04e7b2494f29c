import { notFound, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import { requireReader } from '../../../../access/guard.ts'
import { IssueTagsView } from '../../../components/issues/issue-tags.tsx'
import { shortTitle } from '../../../error-title.ts'
import { toView } from '../../../view.ts'
import { getShownIssue } from '../../../view-models/find-issue.ts'

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

export default function IssueTagsPage({ data }: PageProps<typeof getData>) {
  return <IssueTagsView {...data} />
}
