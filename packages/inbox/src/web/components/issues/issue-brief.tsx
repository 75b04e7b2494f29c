import type { ReactNode } from 'react'
import { withView, type InboxView } from '../../view.ts'
import type { IssueRow } from '../../../queries/issues/issue-types.ts'
import { Count } from '../shared/count.tsx'
import { shownState, StateDot } from './state.tsx'
import { Section } from '../shared/parts.tsx'
import { useRangePhrase } from '../shared/pickers.tsx'
import { Text } from '../shared/text.tsx'
import { TimeAgo } from '../shared/time.tsx'

interface IssueBriefProps {
  id: string
  title: string
  aside?: ReactNode
  issues: IssueRow[]
  /** Text for an empty list. */
  none: string
  view: InboxView
  /** Link to the full list. */
  more: string
}

/** A short list of issues. */
export function IssueBrief({ id, title, aside, issues, none, view, more }: IssueBriefProps) {
  const range = useRangePhrase(view)
  return (
    <Section
      id={id}
      title={title}
      aside={
        <span className="brief-aside">
          {aside}
          {issues.length > 0 && <a href={more}>All</a>}
        </span>
      }
    >
      {issues.length === 0 ? (
        <p className="quiet brief-none">{none}</p>
      ) : (
        <ol className="brief">
          {issues.map((issue) => (
            <li key={issue.id} data-row={issue.id}>
              <StateDot state={shownState(issue)} compact />
              <div className="brief-what">
                <a href={withView(`/inbox/issues/${issue.id}`, view)} data-row-link>
                  <Text max={120}>{issue.type}</Text>
                </a>
                <p className="brief-value">
                  <Text max={160}>{issue.value}</Text>
                </p>
                <p className="culprit">
                  <Text max={120}>{issue.culprit}</Text>
                </p>
              </div>
              <div className="brief-figures">
                <p>
                  <Count of={issue.eventsInRange} />
                  <span className="visually-hidden">{` ${issue.eventsInRange === 1 ? 'event' : 'events'} ${range}`}</span>
                </p>
                <p className="quiet">
                  <TimeAgo at={issue.lastSeen} />
                </p>
              </div>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}
