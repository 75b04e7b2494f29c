import { invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { toView, withView, type InboxView } from '../../view.ts'
import { requireReader } from '../../../access/guard.ts'
import { toId } from '../../../to-id.ts'
import { tryChange } from '../../view-models/change-issue.ts'
import { findCandidates, readPicked, type PickedIssue } from '../../view-models/merge.ts'
import { setFlashMessage } from '../../view-models/flash-message.ts'
import { LinkButton, SubmitButton } from '../../components/shared/controls.tsx'
import { shortTitle } from '../../error-title.ts'
import { ViewFields } from '../../components/shared/hidden-fields.tsx'
import { countOf } from '../../components/shared/format.ts'
import { Crumbs, Empty, ErrorNotice, PageHead, Section } from '../../components/shared/parts.tsx'
import { QueryError, SearchInput } from '../../components/search/search-input.tsx'
import { Text } from '../../components/shared/text.tsx'
import { TimeAgo } from '../../components/shared/time.tsx'
import '../../components/issues/issues.css'

export const layout = 'inbox'

export const guard = (ctx: Ctx) => requireReader(ctx, 'member')

export async function getData(ctx: Ctx) {
  const { search } = ctx
  const reader = await requireReader(ctx, 'member')
  const now = Date.now()
  const view = toView(search, now)
  const issues = await readPicked(reader, search)
  return { view, issues, ...(await findCandidates(reader, { issues, query: search.get('find'), now })) }
}

export const getMeta = () => ({ title: 'Merge issues · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { search, form } = ctx
  const reader = await requireReader(ctx, 'member')
  const into = toId(form.get('into'))
  const outcome = await tryChange(reader, form, reader.person.person)
  if (outcome.error !== undefined) return invalid({ change: outcome.error })
  if (!outcome.done) return invalid({ change: 'Choose which issue stays.' })
  const to = withView(`/inbox/issues/${into}`, toView(search, Date.now()))
  setFlashMessage(ctx, outcome.done, to)
  redirect(to)
}

type Data = PageProps<typeof getData>['data']

/** Selects issues to merge, and the issue to keep. */
export default function MergePage({
  data: { view, issues, candidates, query, queryError },
  form
}: PageProps<typeof getData, typeof action>) {
  const error = form?.errors.change
  const list = { href: withView('/inbox/issues', view), label: 'Issues' }
  const [only] = issues
  const above =
    issues.length === 1
      ? [list, { href: withView(`/inbox/issues/${only!.id}`, view), label: shortTitle(only!) }]
      : [list]
  return (
    <article className="part">
      <Crumbs above={above} here="Merge" />
      <PageHead title="Merge issues" />
      {error && <ErrorNotice>{error}</ErrorNotice>}
      {issues.length === 0 && (
        <Empty title="No issues to merge">
          <p>
            <a href={list.href}>Select issues in the list</a>
          </p>
        </Empty>
      )}
      {issues.length === 1 && <Chosen issue={only!} />}
      {issues.length > 1 && <ChooseTarget issues={issues} view={view} />}
      {issues.length > 0 && (
        <Candidates issues={issues} candidates={candidates} query={query} queryError={queryError} view={view} />
      )}
    </article>
  )
}

function Chosen({ issue }: { issue: PickedIssue }) {
  return (
    <Section id="chosen" title="Selected">
      <div className="merge-row">
        <IssueSummary issue={issue} />
      </div>
      <p className="quiet">Select another issue below. The next step asks which one stays.</p>
    </Section>
  )
}

function ChooseTarget({ issues, view }: { issues: PickedIssue[]; view: InboxView }) {
  return (
    <form method="post" action={toHref(issues, view)} className="merge-form">
      <fieldset className="merge-choices">
        <legend>Which issue stays?</legend>
        <p className="quiet">
          The events, visitors and counts of the others move to it. It keeps its state. The issue with the most events
          is selected. You can undo the merge.
        </p>
        {issues.map((issue, i) => (
          <label key={issue.id} className="merge-row">
            <input type="radio" name="into" value={issue.id} defaultChecked={i === 0} />
            <IssueSummary issue={issue} />
          </label>
        ))}
      </fieldset>
      {issues.map(({ id, version }) => (
        <input key={id} type="hidden" name="issue" value={`${id}:${version}`} />
      ))}
      <p className="row">
        <SubmitButton kind="main" name="do" value="merge-into" label={`Merge ${countOf(issues.length, 'issue')}`} />
        <a href={withView('/inbox/issues', view)}>Cancel</a>
      </p>
    </form>
  )
}

type CandidatesProps = Pick<Data, 'issues' | 'candidates' | 'query' | 'queryError' | 'view'>

function Candidates({ issues, candidates, query, queryError, view }: CandidatesProps) {
  return (
    <Section id="candidates" title={query === '' ? 'Issues of the same type' : 'Search results'}>
      <form action="/inbox/issues/merge" role="search" aria-label="Issues to merge" className="query-line">
        <ViewFields view={view} />
        {issues.map(({ id }) => (
          <input key={id} type="hidden" name="issue" value={id} />
        ))}
        <SearchInput
          name="find"
          query={query}
          label="Search for issues to merge"
          placeholder="Search type, message or culprit"
          maxLength={500}
          error={queryError}
        />
        <SubmitButton label="Search" />
      </form>
      <QueryError error={queryError} />
      {candidates.length === 0 ? (
        !queryError && <p className="quiet">No other issues of this project found.</p>
      ) : (
        <ul className="merge-list">
          {candidates.map((issue) => (
            <li key={issue.id} className="merge-row" data-row={issue.id}>
              <IssueSummary issue={issue} />
              <LinkButton
                href={toHref([...issues, issue], view, query)}
                aria-label={`Add to the merge: ${shortTitle(issue, 80)}`}
                data-row-link
                label="Add"
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function IssueSummary({ issue: { type, value, culprit, events, firstSeen } }: { issue: PickedIssue }) {
  return (
    <span className="merge-issue">
      <span>
        <b>
          <Text max={120}>{type}</Text>
        </b>{' '}
        <Text max={200}>{value}</Text>
      </span>
      <span className="quiet small">
        <span className="mono">
          <Text max={120}>{culprit}</Text>
        </span>{' '}
        · {countOf(events, 'event')} · first seen <TimeAgo at={firstSeen} />
      </span>
    </span>
  )
}

/** @param find the search to go on with. @default none */
function toHref(issues: PickedIssue[], view: InboxView, find = '') {
  const fields = issues.map(({ id }) => ['issue', String(id)])
  if (find !== '') fields.push(['find', find])
  return withView(`/inbox/issues/merge?${new URLSearchParams(fields)}`, view)
}
