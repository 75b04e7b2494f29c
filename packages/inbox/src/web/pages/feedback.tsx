import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { FeedbackView } from '../components/feedback-view.tsx'
import { toView } from '../view.ts'
import { toQuery } from '../view-models/list-params.ts'
import { readPage, toPaging } from '../view-models/paging.ts'
import { toNames } from '../view-models/project-names.ts'

export const layout = 'inbox'

/** Entries per page. */
const ENTRIES = 50

/** Maximum characters of a search in an address. */
const MAX_QUERY = 500

export async function getData(ctx: Ctx) {
  const { search } = ctx
  const { queries } = await requireReader(ctx)
  const view = toView(search, Date.now())
  const query = toQuery(search.get('q') ?? '').slice(0, MAX_QUERY)
  const { cursor, offset } = readPage(search)
  const [projects, { feedback, total, next, previous }] = await Promise.all([
    view.project === undefined ? queries.listProjects() : [],
    queries.listFeedback({ view, query, cursor, limit: ENTRIES })
  ])
  return {
    view,
    query,
    feedback,
    projects: toNames(projects),
    paging: toPaging({ rows: feedback.length, size: ENTRIES, total, next, previous }, offset)
  }
}

export const getMeta = () => ({ title: 'Feedback · Inbox', robots: 'noindex' })

export default function FeedbackPage({ data }: PageProps<typeof getData>) {
  return <FeedbackView {...data} />
}
