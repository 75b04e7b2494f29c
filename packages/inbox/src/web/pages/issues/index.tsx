import { isErrorCode } from '@hull/common/is-error-code.ts'
import { invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { ErrorNotice, PageHead } from '../../components/shared/parts.tsx'
import { FlashMessageView } from '../../components/shared/flash-message.tsx'
import { IssueListView } from '../../components/issues/issue-list.tsx'
import { SavedSearchMenu } from '../../components/issues/saved-searches.tsx'
import { QueryLine } from '../../components/issues/query-line.tsx'
import { useRangeWords } from '../../components/shared/pickers.tsx'
import { toView, withView } from '../../view.ts'
import { findPlace, toAdded, toListHref, toQuery, toSort } from '../../view-models/list-params.ts'
import { readIssues } from '../../view-models/change.ts'
import { tryChange } from '../../view-models/change-issue.ts'
import { isOfMatching, selectMatching } from '../../view-models/matching-issues.ts'
import { clipIssue } from '../../view-models/clip.ts'
import { setFlashMessage, takeFlashMessage } from '../../view-models/flash-message.ts'
import { sharingOf } from '../../view-models/saved-search.ts'
import { readPage, toPaging } from '../../view-models/paging.ts'
import { toNames } from '../../view-models/project-names.ts'
import { requireReader } from '../../../access/guard.ts'
import { highestRole, isAtLeast, roleIn } from '../../../access/roles.ts'
import type { IssueList, IssueListQuery } from '../../../queries/issues/issue-types.ts'
import type { Inbox } from '../../../store/inbox.ts'
import '../../components/issues/issues.css'

export const layout = 'inbox'

/** Issues per page. */
const ISSUES = 50

export async function getData(ctx: Ctx) {
  const { server, search } = ctx
  const inbox = await requireReader(ctx)
  const view = toView(search, Date.now())
  const query = toQuery(search.get('q'))
  const sort = toSort(search.get('sort'))
  const added = toAdded(search, query)
  if (added !== undefined) {
    const fields = new URLSearchParams([['q', added], ...(sort === 'last' ? [] : [['sort', sort]])])
    redirect(withView(`/inbox/issues?${fields}`, view))
  }
  const { cursor, offset } = readPage(search)
  const place = await findPlace(inbox, query, view)
  if (place) redirect(place)
  const role = view.project === undefined ? highestRole(inbox.person) : roleIn(inbox.person, view.project)
  const canChange = isAtLeast(role, 'member')
  const me = inbox.person.person
  const [projects, people, searches, flash, found] = await Promise.all([
    view.project === undefined ? inbox.queries.listProjects() : [],
    canChange ? inbox.queries.listAssignees({ project: view.project }) : [],
    inbox.queries.listSavedSearches({ person: me }),
    takeFlashMessage(inbox, ctx),
    readList(inbox, { view, query, me, sort, cursor, limit: ISSUES }).then(
      ({ issues, next, previous, total, counts }) => ({
        error: undefined,
        list: {
          issues: issues.map(clipIssue),
          counts,
          paging: toPaging({ rows: issues.length, size: ISSUES, total, next, previous }, offset)
        }
      }),
      (error: Error) => {
        if (!isErrorCode(error, 'APP_INBOX_QUERY_INVALID')) throw error
        return { error: error.message, list: undefined }
      }
    )
  ])
  return {
    view,
    query,
    sort,
    here: toListHref(search, view),
    flash,
    saved: { searches, sharing: sharingOf(inbox.person, server.inboxAccess.way, view.project) },
    canChange,
    readOnly: projects.flatMap(({ id }) => (isAtLeast(roleIn(inbox.person, id), 'member') ? [] : id)),
    people,
    me,
    canDelete: role === 'admin' && projects.every(({ id }) => roleIn(inbox.person, id) === 'admin'),
    projects: toNames(projects),
    sample: server.inboxSetup.sample,
    ...found
  }
}

/** A page of the list. The first one if the issues of the page are gone: a change may have moved all of them. */
async function readList({ queries }: Pick<Inbox, 'queries'>, input: IssueListQuery): Promise<IssueList> {
  const list = await queries.listIssues(input)
  const isGone = input.cursor !== undefined && list.issues.length === 0
  return isGone ? queries.listIssues({ ...input, cursor: undefined }) : list
}

export const getMeta = () => ({ title: 'Issues · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { search, form } = ctx
  const reader = await requireReader(ctx, 'member')
  if (form.get('do') === 'merge') {
    const issues = readIssues(form).map(({ id }) => ['issue', String(id)])
    if (issues.length < 2) return invalid({ change: 'Select two or more issues to merge.' })
    redirect(withView(`/inbox/issues/merge?${new URLSearchParams(issues)}`, toView(search, Date.now())))
  }
  const me = reader.person.person
  if (isOfMatching(form)) {
    const [query, sort] = [toQuery(search.get('q')), toSort(search.get('sort'))]
    await selectMatching(reader, form, { view: toView(search, Date.now()), query, sort, me })
  }
  const outcome = await tryChange(reader, form, me)
  if (outcome.error !== undefined) return invalid({ change: outcome.error })
  const { done } = outcome
  const to = toListHref(search, toView(search, Date.now()))
  if (done) setFlashMessage(ctx, done, to)
  redirect(to)
}

export default function IssuesPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { here, flash, saved, list, error, ...shown } = data
  const { view, query, sort } = shown
  return (
    <>
      <PageHead title={`Issues, ${useRangeWords(view)}`} />
      {form?.errors.change && <ErrorNotice isFloating>{form.errors.change}</ErrorNotice>}
      <FlashMessageView flash={flash} action={here} />
      <div className="issues-page">
        <QueryLine
          saved={<SavedSearchMenu {...saved} query={query} sort={sort} view={view} />}
          query={query}
          error={error}
          view={view}
          sort={sort === 'last' ? undefined : sort}
        />
        {list && <IssueListView {...shown} list={list} />}
      </div>
    </>
  )
}
