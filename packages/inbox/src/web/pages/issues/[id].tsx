import { invalid, notFound, redirect, type ActionCtx, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { IssueView } from '../../components/issues/issue.tsx'
import { toNewIssueHref } from '../../repository.ts'
import { shortTitle } from '../../error-title.ts'
import { toView, withView, type InboxView } from '../../view.ts'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { encodedLength } from '../../view-models/clip.ts'
import { changeIssue } from '../../view-models/change-issue.ts'
import { findEventTrace } from '../../view-models/event-trace.ts'
import { toMarkdown } from '../../view-models/markdown.ts'
import { findIssue, getShownIssue } from '../../view-models/find-issue.ts'
import { setFlashMessage, takeFlashMessage } from '../../view-models/flash-message.ts'
import { requireReader } from '../../../access/guard.ts'
import { toId } from '../../../to-id.ts'
import { isAtLeast, roleIn } from '../../../access/roles.ts'
import type { Inbox } from '../../../store/inbox.ts'

export const layout = 'inbox'

/** Maximum values to list per tag. */
const TAG_VALUES = 5

/** Characters of all comments in the page's data. The activity ends before the comment that exceeds them. A guess. */
const COMMENTS = 1_000_000

export async function getData(ctx: Ctx<'/inbox/issues/[id]'>) {
  const { server, search } = ctx
  const inbox = await requireReader(ctx)
  const view = toView(search, Date.now())
  const found = await getShownIssue(inbox, ctx, view)
  const { id } = found
  const eventId = search.get('event') ?? undefined
  const role = roleIn(inbox.person, found.project)
  const canChange = isAtLeast(role, 'member')
  const me = inbox.person.person
  const [flash, over, tags, event, people, isFollowing] = await Promise.all([
    takeFlashMessage(inbox, ctx),
    inbox.queries.getIssueSeries({ id, view }),
    inbox.queries.listTags({ id, values: TAG_VALUES }),
    findShownEvent(inbox, { id, eventId, view }),
    canChange ? inbox.queries.listAssignees({ project: found.project }) : [],
    inbox.queries.isFollowing({ issue: id, person: me })
  ])
  const [trace, repository] = await Promise.all([
    event && findEventTrace(inbox, event.row),
    inbox.queries.getRepository({ project: found.project, release: event?.row.release })
  ])
  const newIssueHref =
    repository &&
    toNewIssueHref(repository, {
      title: shortTitle(found, 200),
      body: toMarkdown(found, event, `${ctx.origin}${server.basePath}/inbox/issues/${id}`)
    })
  const comments: Record<number, string> = {}
  const activity: typeof found.activity = []
  let left = COMMENTS
  for (const entry of found.activity) {
    if (entry.kind === 'commented') {
      const text = String(entry.data.text)
      const html = await server.inboxSetup.toCommentHtml(text)
      left -= encodedLength(text) + encodedLength(html)
      if (left < 0) break
      comments[entry.id] = html
    }
    activity.push(entry)
  }
  return {
    issue: {
      ...found,
      activity,
      hasMoreActivity: found.hasMoreActivity || activity.length < found.activity.length
    },
    comments,
    event,
    trace,
    repository,
    newIssueHref,
    tags,
    view,
    flash,
    canChange,
    people,
    me,
    isFollowing,
    isAdmin: role === 'admin',
    ...over
  }
}

/** An event of the issue. One that a split or an undone merge took away opens the issue that has it now. */
async function findShownEvent(
  { queries }: Pick<Inbox, 'queries'>,
  { id, eventId, view }: { id: number; eventId: string | undefined; view: InboxView }
) {
  try {
    return await queries.findEvent({ id, eventId })
  } catch (error) {
    if (eventId === undefined || !isErrorCode(error, 'APP_INBOX_EVENT_NOT_FOUND')) throw error
    const found = await queries.locate({ text: eventId })
    if (found?.kind === 'event' && found.eventId === eventId.toLowerCase())
      redirect(withView(`/inbox/issues/${found.issue}?event=${found.eventId}`, view))
    throw error
  }
}

export const getMeta = ({ data: { issue } }: MetaCtx<typeof getData>) => ({
  title: `${shortTitle(issue)} · Inbox`,
  robots: 'noindex'
})

export async function action(ctx: ActionCtx<'/inbox/issues/[id]'>) {
  const { search, form, params } = ctx
  const reader = await requireReader(ctx)
  const found = await findIssue(reader, params.id)
  if (!found) notFound('This issue does not exist. It was deleted meanwhile.')
  const isMerged = 'mergedInto' in found
  const id = isMerged ? found.mergedInto : found.id
  const outcome = await changeIssue(reader, form, { id, isMerged, who: reader.person.person, search })
  if (outcome.error !== undefined) return invalid({ change: outcome.error })
  if (outcome.done) setFlashMessage(ctx, outcome.done, outcome.to)
  redirect(outcome.to)
}

export default function IssuePage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { errors: { change: error } = {}, values: { text, comment } = {} } = form ?? {}
  const id = comment === undefined ? undefined : toId(comment)
  // A comment that was deleted meanwhile has no place on the page.
  const hasPlace = id === undefined || data.issue.activity.some((entry) => entry.id === id)
  if (error === undefined || text === undefined || !hasPlace) return <IssueView {...data} error={error} />
  return <IssueView {...data} refused={{ id, text, error }} />
}
