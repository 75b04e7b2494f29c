import type { ReactNode } from 'react'
import { withBasePath } from '@hull/shell/client'
import { LinkButton, SubmitButton } from '../shared/controls.tsx'
import { errorTitle } from '../../error-title.ts'
import type { InboxView } from '../../view.ts'
import { withView } from '../../view.ts'
import type { Assignee, IssueDetail } from '../../../queries/issues/issue-types.ts'
import { AssignMenu, DeleteButton, IgnoreButtons, ResolveButtons } from './change-buttons.tsx'
import { CopyButton } from '../shared/copy-button.tsx'
import { Crumbs } from '../shared/parts.tsx'
import { countOf, withCommas } from '../shared/format.ts'
import { shownState, StateDot } from './state.tsx'
import { Text } from '../shared/text.tsx'
import { Time, TimeAgo } from '../shared/time.tsx'

interface IssueHeadProps {
  issue: IssueDetail
  eventId?: string
  view: InboxView
  action: string
  canChange: boolean
  canDelete: boolean
  /** People to whom the issue can be assigned. */
  people: Assignee[]
  /** Id of the signed-in person. */
  me: number
  /** Whether that person follows the issue. */
  isFollowing: boolean
  /** Address of the repository's form for a new issue. */
  newIssueHref?: string
}

/** Title, state and actions of an issue. */
export function IssueHead({ newIssueHref, eventId, ...props }: IssueHeadProps) {
  const { issue, view, canChange } = props
  const { type, value, culprit, assignee } = issue
  return (
    <header className="issue-head">
      <Crumbs above={[{ href: withView('/inbox/issues', view), label: 'Issues' }]} here={errorTitle(issue)} />
      <p className="issue-above">
        <StateDot state={shownState(issue)} />
        <StateDetail issue={issue} />
        {assignee && (
          <span>
            assigned to <Text max={60}>{assignee.name}</Text>
          </span>
        )}
      </p>
      <h1>
        <Text max={300}>{type}</Text>
      </h1>
      {value && (
        <p className="issue-says">
          <Text max={1_000}>{value}</Text>
        </p>
      )}
      <p className="culprit">
        <Text max={300}>{culprit}</Text>
      </p>
      <div className="issue-actions">
        {canChange && <ChangeForm {...props} />}
        <FollowForm {...props} />
        <Copies issue={issue} eventId={eventId} newIssueHref={newIssueHref} />
      </div>
    </header>
  )
}

/** Details of the state. */
function StateDetail({ issue }: { issue: IssueDetail }) {
  const { state, resolvedRelease, resolvedInNext, inOldRelease, ignoredUntil, ignoredUntilEvents, events } = issue
  if (state === 'resolved')
    return (
      <span>
        {/* A project without releases is resolved in none. */}
        {resolvedRelease !== undefined && (
          <>
            {resolvedInNext ? 'after ' : 'in '}
            <Text max={60}>{resolvedRelease}</Text>
          </>
        )}
        {inOldRelease > 0 && `, ${countOf(inOldRelease, 'event')} from older releases since`}
      </span>
    )
  if (state !== 'ignored') return null
  const more =
    ignoredUntilEvents !== undefined && countOf(Math.max(ignoredUntilEvents - events, 0), 'more event', 'more events')
  if (ignoredUntil !== undefined)
    return (
      <span>
        {more ? `until ${more} or ` : 'until '}
        <Time at={ignoredUntil} />
      </span>
    )
  return <span>{more ? `until ${more}` : 'forever'}</span>
}

function ChangeForm({ issue, action, view, canDelete, people, me }: Omit<IssueHeadProps, 'eventId' | 'newIssueHref'>) {
  const { id, version, state, events } = issue
  const isOpen = state === 'unresolved' || state === 'regressed'
  return (
    <form method="post" action={action} className="issue-changes" tabIndex={-1} data-keep-scroll data-replace>
      <input type="hidden" name="issue" value={`${id}:${version}`} />
      {/* each keeps its position, so that a second click on the same spot does nothing */}
      <ResolveButtons isOff={!isOpen} />
      <IgnoreButtons isOff={!isOpen} />
      <SubmitButton name="do" value="reopen" disabled={isOpen} label="Reopen" />
      <AssignMenu people={people} me={me} />
      <LinkButton href={withView(`/inbox/issues/merge?issue=${id}`, view)} label="Merge…" />
      {canDelete && (
        <DeleteButton
          what={events === 1 ? 'this issue with its event' : `this issue with its ${countOf(events, 'event')}`}
        />
      )}
    </form>
  )
}

function FollowForm({ action, isFollowing }: Pick<IssueHeadProps, 'action' | 'isFollowing'>) {
  return (
    <form method="post" action={action} className="issue-follow" data-keep-scroll data-replace>
      <SubmitButton
        name="do"
        value={isFollowing ? 'unfollow' : 'follow'}
        title="Followers get a mail about comments and changes, at the address in their account"
        label={isFollowing ? 'Unfollow' : 'Follow'}
      />
    </form>
  )
}

/** Copy and export actions. */
function Copies({ issue: { id }, eventId, newIssueHref }: Pick<IssueHeadProps, 'issue' | 'eventId' | 'newIssueHref'>) {
  const query = eventId === undefined ? '' : `?event=${eventId}`
  const markdown = `/inbox/issues/${id}/markdown${query}`
  return (
    <div className="issue-copies">
      <CopyButton text={async () => location.origin + withBasePath(`/inbox/issues/${id}${query}`)}>
        Copy link
      </CopyButton>
      <CopyButton
        text={async () => {
          const response = await fetch(withBasePath(markdown))
          if (!response.ok) throw new Error(`the server answered ${response.status}`)
          return response.text()
        }}
      >
        Copy as Markdown
      </CopyButton>
      <a href={markdown} data-document className="without-script">
        As Markdown
      </a>
      {newIssueHref && <LinkButton href={newIssueHref} rel="noreferrer" label="New issue in the repository" />}
    </div>
  )
}

/** Number of events and visitors, first and last seen. */
export function IssueFigures({ issue }: { issue: IssueDetail }) {
  const { events, visitors, firstSeen, lastSeen, firstRelease, lastRelease, side, level } = issue
  return (
    <dl className="figures">
      <Figure name="Events">
        {withCommas(events)}
        <span className="figures-more">total</span>
      </Figure>
      <Figure name="Visitors">
        {withCommas(visitors)}
        <span className="figures-more">total</span>
      </Figure>
      <Figure name="First seen">
        <TimeAgo at={firstSeen} />
        {firstRelease !== undefined && <Release is="in" version={firstRelease} />}
      </Figure>
      <Figure name="Last seen">
        <TimeAgo at={lastSeen} />
        {/* The last event may be of an older release. */}
        {lastRelease !== undefined && <Release is="newest release" version={lastRelease} />}
      </Figure>
      <Figure name="Where">
        {side === 'browser' ? 'Client' : 'Server'}
        {level !== 'error' && <span className="figures-more">{level}</span>}
      </Figure>
    </dl>
  )
}

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Release = ({ is, version }: { is: string; version: string }) => (
  <span className="figures-more">
    {is} <Text max={40}>{version}</Text>
  </span>
)
