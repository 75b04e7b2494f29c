import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { toView, withView } from '../view.ts'
import { toQuery } from '../view-models/list-params.ts'
import { readPage, toPaging } from '../view-models/paging.ts'
import { toNames } from '../view-models/project-names.ts'
import type { FeedbackRow } from '../../queries/feedback.ts'
import { errorTitle } from '../error-title.ts'
import { AttachmentList } from '../components/shared/attachment-list.tsx'
import { SearchForm } from '../components/search/search-form.tsx'
import { SearchInput } from '../components/search/search-input.tsx'
import { Empty, InProject, PageHead, Pager } from '../components/shared/parts.tsx'
import { useRangePhrase, useRangeWords } from '../components/shared/pickers.tsx'
import { OptionalLink, Text } from '../components/shared/text.tsx'
import { TimeAgo } from '../components/shared/time.tsx'
import '../components/feedback.css'

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

type Data = PageProps<typeof getData>['data']

/** Feedback of visitors, with a search. */
export default function FeedbackPage({ data: { view, query, feedback, projects, paging } }: PageProps<typeof getData>) {
  const words = useRangeWords(view)
  const here = withView(`/inbox/feedback?${new URLSearchParams(query === '' ? {} : { q: query })}`, view)
  return (
    <>
      <PageHead title={`Feedback, ${words}`} />
      <SearchForm action="/inbox/feedback" label="Feedback" view={view}>
        <SearchInput
          query={query}
          label="Search feedback by words, name, mail address or page"
          placeholder="words, name, mail or page"
          maxLength={500}
          className="feedback-search"
        />
      </SearchForm>
      {feedback.length === 0 ? (
        <NoFeedback view={view} query={query} here={here} />
      ) : (
        <ol className="feedback-list">
          {feedback.map((entry) => (
            <li key={entry.id}>
              <Entry entry={entry} view={view} projects={projects} />
            </li>
          ))}
        </ol>
      )}
      <Pager paging={paging} here={here} isByTime />
    </>
  )
}

function NoFeedback({ view, query, here }: Pick<Data, 'view' | 'query'> & { here: string }) {
  const range = useRangePhrase(view)
  return (
    <Empty title={`No ${query === '' ? '' : 'matching '}feedback ${range}`}>
      {query === '' && (
        <p>
          Messages of <code>Sentry.captureFeedback()</code> and of the feedback form of the SDK appear here.
        </p>
      )}
      <p className="row">
        {view.range !== '30d' && <a href={withView(here, { ...view, range: '30d' })}>Show the last 30 days</a>}
        {query !== '' && <a href={withView('/inbox/feedback', view)}>Show all feedback</a>}
      </p>
    </Empty>
  )
}

function Entry({ entry, view, projects }: Pick<Data, 'view' | 'projects'> & { entry: FeedbackRow }) {
  const { at, name, email, message, url, event, attachments } = entry
  return (
    <figure className="feedback">
      <blockquote>
        <Text>{message}</Text>
      </blockquote>
      <AttachmentList attachments={attachments} />
      <figcaption className="quiet">
        <span>
          {name ? <Text max={80}>{name}</Text> : 'Visitor'}
          {email !== undefined && (
            <>
              , <Text max={120}>{email}</Text>
            </>
          )}
          , <TimeAgo at={at} />
          <InProject id={entry.project} projects={projects} max={60} />
        </span>
        {url !== undefined && <PageAddress url={url} />}
        {event && (
          <a href={withView(`/inbox/issues/${event.issue}?event=${event.eventId}`, view)}>
            <Text max={120}>{errorTitle(event)}</Text>
          </a>
        )}
      </figcaption>
    </figure>
  )
}

/** Links to the page only if a browser would open it by HTTP: the address is a visitor's. */
const PageAddress = ({ url }: { url: string }) => (
  <OptionalLink href={/^https?:\/\//i.test(url) ? url : undefined} rel="noreferrer nofollow" target="_blank">
    <Text max={120}>{url}</Text>
  </OptionalLink>
)
