import type { FeedbackRow } from '../../queries/feedback.ts'
import { errorTitle } from '../error-title.ts'
import { withView, type InboxView } from '../view.ts'
import type { Paging } from '../view-models/paging.ts'
import { AttachmentList } from './shared/attachment-list.tsx'
import { SearchForm } from './search/search-form.tsx'
import { SearchInput } from './search/search-input.tsx'
import { Empty, InProject, PageHead, Pager } from './shared/parts.tsx'
import { useRangePhrase, useRangeWords } from './shared/pickers.tsx'
import { OptionalLink, Text } from './shared/text.tsx'
import { TimeAgo } from './shared/time.tsx'
import './feedback.css'

interface FeedbackViewProps {
  view: InboxView
  query: string
  /** Newest first. */
  feedback: FeedbackRow[]
  /** Names of the projects, if the list has several. */
  projects: { id: number; name: string }[]
  paging: Paging
}

/** Feedback of visitors, with a search. */
export function FeedbackView({ view, query, feedback, projects, paging }: FeedbackViewProps) {
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

function NoFeedback({ view, query, here }: Pick<FeedbackViewProps, 'view' | 'query'> & { here: string }) {
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

function Entry({ entry, view, projects }: Pick<FeedbackViewProps, 'view' | 'projects'> & { entry: FeedbackRow }) {
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
