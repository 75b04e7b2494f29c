import { useEffect, useRef, useState } from 'react'
import { useRoute } from '@hull/shell/client'
import { LinkButton, SubmitButton } from '../shared/controls.tsx'
import { filtersOf, parseSearch, setFilter, writeSearch, type Search } from '../../search/index.ts'
import { MAX_CHANGED, MAX_COUNT, withPage, withView, type InboxView } from '../../view.ts'
import type { InboxSample } from '../../../plugins/inbox.ts'
import type { Assignee, IssueList, IssueRow, IssueSort } from '../../../queries/issues/issue-types.ts'
import type { Paging } from '../../view-models/paging.ts'
import { NewRows } from '../shared/new-rows.tsx'
import { AssignMenu, DeleteButton, IgnoreButtons, ResolveButtons } from './change-buttons.tsx'
import { IssueTable } from './issue-table.tsx'
import { capitalise, countOf, formatUpTo } from '../shared/format.ts'
import { Empty, Pager, Tabs, type Tab } from '../shared/parts.tsx'
import { useRangePhrase } from '../shared/pickers.tsx'
import { useStableList } from '../shared/use-stable-list.ts'
import { useLive } from '../shared/live.ts'

interface IssueListProps {
  list: Pick<IssueList, 'issues' | 'counts'> & { paging: Paging }
  query: string
  sort: IssueSort
  view: InboxView
  canChange: boolean
  /** Projects whose issues the person may only read. */
  readOnly: number[]
  canDelete: boolean
  /** People to whom issues of the list can be assigned. */
  people: Assignee[]
  /** Id of the signed-in person. */
  me: number
  /** Names of projects, if the list has issues of several. */
  projects: { id: number; name: string }[]
  sample?: InboxSample
}

const STATES = ['unresolved', 'regressed', 'resolved', 'ignored'] as const

/** Minimum milliseconds between two updates of the list. */
const LIST_PAUSE = 2_000

/** The list of issues, with actions on several at once. */
export function IssueListView(props: IssueListProps) {
  const { list, query, sort, view, canChange, readOnly, projects, sample, ...bulk } = props
  const form = useRef<HTMLFormElement>(null)
  const [selected, setSelected] = useState(0)
  const { search } = useRoute()
  useLive(LIST_PAUSE)
  const { shown: rows, showNext } = useStableList(list.issues, search.toString(), renewRows)
  const countSelected = () => setSelected(form.current?.querySelectorAll('td :checked').length ?? 0)
  // Rows that leave the list leave with their boxes. The browser may restore boxes before the script runs.
  useEffect(countSelected, [rows])
  const selectable = rows.filter(({ project }) => !readOnly.includes(project)).length
  const known = new Set(rows.map(({ id }) => id))
  const newIssues = list.issues.filter(({ id }) => !known.has(id))
  const here = (change: { q?: string; sort?: string }) => {
    const fields = new URLSearchParams()
    for (const [name, value] of Object.entries({ q: query, sort: sort === 'last' ? undefined : sort, ...change }))
      if (value !== undefined && !(name === 'q' && value === 'is:unresolved')) fields.set(name, value)
    return withView(`/inbox/issues?${fields}`, view)
  }
  const parsed = readSearch(query)
  const states = filtersOf(parsed, 'is').filter(({ negated }) => !negated)
  const tabs = STATES.map((name): Tab => ({
    href: here({ q: writeSearch(setFilter(parsed, 'is', name)) }),
    label: capitalise(name),
    isCurrent: states.length === 1 && states[0]!.value === name,
    count: formatUpTo(list.counts[name], MAX_COUNT)
  }))
  return (
    <>
      <Tabs label="States" tabs={tabs} />
      <NewRows
        text={newIssues.length > 0 ? `Show ${describeNewIssues(newIssues)}` : undefined}
        show={showNext}
        row="[data-row-link]"
      />
      {rows.length === 0 ? (
        <NoIssues query={query} view={view} wider={here({})} sample={sample} />
      ) : (
        <form
          method="post"
          action={withPage(here({}), {
            cursor: search.get('cursor') ?? undefined,
            offset: list.paging.first && list.paging.first - 1
          })}
          ref={form}
          className="issues-form"
          data-keep-scroll
          data-replace
          onChange={countSelected}
        >
          {/* Without a script, Enter in a box presses the first button of the form: this one, outside of a dialog, does
          nothing. Browsers skip a disabled one. */}
          <input type="submit" hidden formMethod="dialog" />
          {/* Outside of the toolbar, which is not in the document for screen readers before a row is selected. */}
          {canChange && (
            <p className="visually-hidden" role="status">
              {selected > 0 && `${selected} selected`}
            </p>
          )}
          <IssueTable
            issues={rows}
            view={view}
            sort={sort}
            toSorted={(name) => here({ sort: name === 'last' ? undefined : name })}
            canChange={canChange}
            readOnly={readOnly}
            projects={projects}
            selected={selected}
          />
          {canChange && (
            <Bulk selected={selected} matching={selected === selectable ? list.paging.total : undefined} {...bulk} />
          )}
        </form>
      )}
      <Pager paging={list.paging} here={here({})} />
    </>
  )
}

/** Counts new issues only. An issue also enters a list when it regresses, is reopened, or has another event. */
function describeNewIssues(newIssues: IssueRow[]): string {
  const kind = newIssues.every(({ isNew }) => isNew)
    ? 'new'
    : newIssues.every(({ state }) => state === 'regressed')
      ? 'regressed'
      : 'more'
  return countOf(newIssues.length, `${kind} issue`)
}

/**
 * The rows to show, with their current data. A row that has left the list stays unchanged. New rows are added at once
 * only to an empty list.
 */
function renewRows(shown: IssueRow[], next: IssueRow[]): IssueRow[] {
  if (shown.length === 0) return next
  const byId = new Map(next.map((row) => [row.id, row]))
  return shown.map((row) => byId.get(row.id) ?? row)
}

/** The search field reports errors in a query; here an invalid query is treated as empty. */
function readSearch(query: string): Search {
  try {
    return parseSearch(query)
  } catch {
    return { terms: [] }
  }
}

/** Actions for the selected rows, shown once a row is selected. */
function Bulk({
  selected,
  matching = 0,
  canDelete,
  people,
  me
}: Pick<IssueListProps, 'canDelete' | 'people' | 'me'> & {
  selected: number
  /** Number of issues on all pages, if all issues of this page are selected. */
  matching: number | undefined
}) {
  return (
    <fieldset className="bulk">
      <legend className="visually-hidden">Selected issues</legend>
      {selected > 0 && (
        <span className="bulk-count" aria-hidden="true">
          {`${selected} selected`}
        </span>
      )}
      {selected > 0 && matching > selected && (
        <label className="bulk-all" title="Merge and Delete are of the selected issues">
          <input type="checkbox" name="all" value="matching" />
          {matching > MAX_CHANGED
            ? `The first ${MAX_CHANGED} of all matching`
            : `All ${formatUpTo(matching, MAX_COUNT)} matching`}
        </label>
      )}
      <ResolveButtons className="menu-up" />
      <IgnoreButtons className="menu-up" />
      <SubmitButton name="do" value="reopen" label="Reopen" />
      <AssignMenu className="menu-up" people={people} me={me} />
      <SubmitButton name="do" value="merge" title="Choose which of the selected issues stays" label="Merge" />
      {canDelete && <DeleteButton className="menu-up" side="end" what="the selected issues with all their events" />}
    </fieldset>
  )
}

interface NoIssuesProps {
  query: string
  view: InboxView
  /** The same list without search and filters. */
  wider: string
  sample?: InboxSample
}

function NoIssues({ query, view, wider, sample }: NoIssuesProps) {
  const range = useRangePhrase(view)
  const isPlain = query === 'is:unresolved'
  const isNarrow = view.range === '1h' || view.range === '24h' || view.range === '7d'
  return (
    <Empty title={`No ${isPlain ? 'unresolved' : 'matching'} issues ${range}`}>
      <p className="row">
        {isPlain && sample && <LinkButton kind="main" href={sample.error.href} label={sample.error.label} />}
        {isNarrow && <a href={withView(wider, { ...view, range: '30d' })}>Search the last 30 days</a>}
        {!isPlain && <a href={withView('/inbox/issues', view)}>Show all unresolved issues</a>}
      </p>
    </Empty>
  )
}
