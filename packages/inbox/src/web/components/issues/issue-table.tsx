import { withView, type InboxView } from '../../view.ts'
import { toVisibleText } from '@hull/common/visible-text.ts'
import type { IssueRow, IssueSort } from '../../../queries/issues/issue-types.ts'
import { Bars } from '../charts/bars.tsx'
import { Count } from '../shared/count.tsx'
import { countOf } from '../shared/format.ts'
import { useRangePhrase } from '../shared/pickers.tsx'
import { shownState, StateDot } from './state.tsx'
import { Text } from '../shared/text.tsx'
import { TimeAgo } from '../shared/time.tsx'

interface IssueTableProps {
  issues: IssueRow[]
  view: InboxView
  sort: IssueSort
  /** Address of the list in another order. */
  toSorted: (sort: IssueSort) => string
  /** Shows a checkbox in each row. */
  canChange: boolean
  /** Projects whose issues the person may only read: their rows have none. */
  readOnly: number[]
  /** Names of projects, if the list has issues of several. */
  projects: { id: number; name: string }[]
  /** Number of selected rows. */
  selected: number
}

/** Table with one issue per row. */
export function IssueTable({ issues, view, sort, toSorted, canChange, readOnly, projects, selected }: IssueTableProps) {
  const selectable = issues.filter(({ project }) => !readOnly.includes(project)).length
  const head = (name: IssueSort, words: string, className: string) => (
    <th scope="col" className={className} aria-sort={sort === name ? 'descending' : undefined}>
      <a href={toSorted(name)} data-keep-scroll data-replace>
        {words}
      </a>
    </th>
  )
  return (
    <table className="issues">
      <thead>
        <tr>
          {canChange && (
            <th scope="col" className="issues-box">
              <ChooseAll isChosen={selected > 0 && selected === selectable} />
            </th>
          )}
          <th scope="col" className="issues-what">
            Issue
          </th>
          <th scope="col" className="issues-hours">
            Trend
          </th>
          {head('events', 'Events', 'number')}
          {head('visitors', 'Visitors, total', 'number issues-visitors')}
          {head('first', 'First seen', 'number issues-first')}
          {head('last', 'Last seen', 'number')}
        </tr>
      </thead>
      <tbody>
        {issues.map((issue) => (
          <Row
            key={issue.id}
            issue={issue}
            view={view}
            canChange={canChange}
            isReadOnly={readOnly.includes(issue.project)}
            project={projects.find(({ id }) => id === issue.project)?.name}
          />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps extends Pick<IssueTableProps, 'view' | 'canChange'> {
  issue: IssueRow
  isReadOnly: boolean
  project?: string
}

function Row({ issue, view, canChange, isReadOnly, project }: RowProps) {
  const { id, level, type, value, culprit, assignee, points, eventsInRange, visitors, firstSeen, lastSeen } = issue
  const state = shownState(issue)
  const range = useRangePhrase(view)
  return (
    <tr data-row={id} className={state === 'resolved' || state === 'ignored' ? 'issue-quiet' : undefined}>
      {canChange && (
        <td className="issues-box">
          {!isReadOnly && (
            <input
              type="checkbox"
              name="issue"
              value={`${id}:${issue.version}`}
              aria-label={`Select ${toVisibleText(type).slice(0, 80)}`}
            />
          )}
        </td>
      )}
      <td className="issues-what">
        <div className="issue-line">
          <StateDot state={state} compact />
          <a href={withView(`/inbox/issues/${id}`, view)} data-row-link>
            <Text max={160}>{type}</Text>
          </a>
          <span className="issue-value">
            <Text max={240}>{value}</Text>
          </span>
        </div>
        <p className="culprit">
          {level !== 'error' && <span className="issue-note">{level}</span>}
          {project !== undefined && (
            <span className="issue-note">
              <Text max={40}>{project}</Text>
            </span>
          )}
          {assignee && (
            <span className="issue-note">
              <Text max={40}>{assignee.name}</Text>
            </span>
          )}
          <Text max={200}>{culprit}</Text>
        </p>
      </td>
      <td className="issues-hours">
        <Bars points={points} label={describePoints(points, range)} />
      </td>
      <td className="number">
        <Count of={eventsInRange} />
      </td>
      <td className="number issues-visitors">
        <Count of={visitors} />
      </td>
      <td className="number issues-first">
        <TimeAgo at={firstSeen} />
      </td>
      <td className="number">
        <TimeAgo at={lastSeen} />
      </td>
    </tr>
  )
}

function describePoints(points: number[], range: string): string {
  const total = points.reduce((sum, events) => sum + events, 0)
  return `${countOf(total, 'event')} ${range}`
}

/** Checkbox that selects every row of the page, or none. */
function ChooseAll({ isChosen }: { isChosen: boolean }) {
  return (
    <input
      type="checkbox"
      className="needs-script"
      aria-label="Select all"
      checked={isChosen}
      onChange={({ currentTarget: { form, checked } }) => {
        for (const box of form?.querySelectorAll<HTMLInputElement>('input[name=issue]') ?? []) box.checked = checked
      }}
    />
  )
}
