import { Field, type FormState } from '@hull/shell/client'
import { FieldForm, SubmitButton } from '../shared/controls.tsx'
import type { SavedSearch } from '../../../queries/issues/saved-searches.ts'
import type { IssueSort } from '../../../queries/issues/issue-types.ts'
import { toSavedHref, toSavingHref } from '../../saved-search-hrefs.ts'
import { withView, type InboxView } from '../../view.ts'
import type { Sharing } from '../../view-models/saved-search.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Hidden } from '../shared/hidden-fields.tsx'
import { Choices, Menu } from '../shared/menu.tsx'
import { Crumbs, Empty, ErrorNotice, PageHead } from '../shared/parts.tsx'
import { Table, TextCell } from '../shared/table.tsx'
import { Text } from '../shared/text.tsx'
import '../../styles/inbox-settings.css'

/** A search as the list of issues shows it. */
interface ShownSearch {
  query: string
  sort: IssueSort
  view: InboxView
}

interface SavedSearches {
  searches: SavedSearch[]
  sharing: Sharing
}

/** Opens a saved search, and saves the shown one. */
export function SavedSearchMenu({ searches, sharing, ...shown }: SavedSearches & ShownSearch) {
  const { query, sort, view } = shown
  const isShown = (one: SavedSearch) =>
    one.query === query && one.sort === sort && (one.project === undefined || one.project === view.project)
  const current = searches.find(isShown)
  return (
    <Menu
      key={`${query} ${current?.id}`}
      className={current ? 'menu-button menu-set' : 'menu-button'}
      purpose="Saved searches"
      label={current ? <Text max={24}>{current.name}</Text> : 'Saved'}
      side="end"
    >
      {searches.length > 0 && (
        <Choices
          choices={searches.map((one) => ({
            id: one.id,
            href: toSavedHref(one, view),
            label: <Text max={60}>{one.name}</Text>,
            isChosen: isShown(one)
          }))}
        />
      )}
      <form method="post" action={toSavingHref(shown)} className="menu-foot">
        <label className="menu-field">
          <span>Name</span>
          <input className="input" name="name" required maxLength={60} autoComplete="off" />
        </label>
        <ShareChoice sharing={sharing} />
        <SubmitButton intent="save" label="Save this search" />
        <a href={withView('/inbox/issues/searches', view)}>Rename or remove saved searches</a>
      </form>
    </Menu>
  )
}

function ShareChoice({ sharing, form }: { sharing: Sharing; form?: FormState | undefined }) {
  if (sharing === 'own') return null
  if (sharing === 'all') return <p className="quiet">Everybody who reads these issues will see it.</p>
  return (
    <label className="check">
      <input type="checkbox" name="share" value="on" defaultChecked={form?.values['share'] === 'on'} /> Share with
      everybody
    </label>
  )
}

interface SavedSearchesViewProps extends Omit<SavedSearches, 'searches'> {
  searches: (SavedSearch & { canChange: boolean; projectName?: string | undefined })[]
  view: InboxView
  /** Search to save; undefined if the address has none. */
  draft?: ShownSearch | undefined
  form: FormState | undefined
}

/** Saves a search, and renames and removes the saved ones. */
export function SavedSearchesView({ searches, sharing, view, draft, form }: SavedSearchesViewProps) {
  return (
    <article className="part">
      <Crumbs above={[{ href: withView('/inbox/issues', view), label: 'Issues' }]} here="Saved searches" />
      <PageHead title="Saved searches" />
      {form?.errors['name'] && !draft && <ErrorNotice>{form.errors['name']}</ErrorNotice>}
      {draft && (
        <FieldForm
          action={toSavingHref(draft)}
          submit={<SubmitButton kind="main" intent="save" label="Save this search" />}
        >
          <p>
            Search: <code>{draft.query === '' ? 'all issues' : <Text max={200}>{draft.query}</Text>}</code>
          </p>
          <Field name="name" label="Name" form={form} maxLength={60} autoComplete="off" />
          <ShareChoice sharing={sharing} form={form} />
        </FieldForm>
      )}
      {searches.length === 0 ? (
        <Empty title="No saved searches">
          <p>
            Search the <a href={withView('/inbox/issues', view)}>list of issues</a>, then save the search in the menu
            beside it.
          </p>
        </Empty>
      ) : (
        <SavedSearchTable searches={searches} view={view} />
      )}
    </article>
  )
}

function SavedSearchTable({ searches, view }: Pick<SavedSearchesViewProps, 'searches' | 'view'>) {
  return (
    <Table columns={['Name', 'Search', 'Project', 'Visible to', 'Actions']}>
      {searches.map((one) => (
        <tr key={one.id}>
          <th scope="row">
            <SearchLink search={one} view={view} />
          </th>
          <td data-label="Search">
            <code>{one.query === '' ? 'all issues' : <Text max={120}>{one.query}</Text>}</code>
          </td>
          <TextCell label="Project" text={one.projectName ?? 'All projects'} />
          <td data-label="Visible to">{one.person === undefined ? 'Everybody' : 'You'}</td>
          <td>{one.canChange && <SearchActions search={one} />}</td>
        </tr>
      ))}
    </Table>
  )
}

function SearchLink({ search, view }: { search: SavedSearch; view: InboxView }) {
  return (
    <a href={toSavedHref(search, view)}>
      <Text max={60}>{search.name}</Text>
    </a>
  )
}

function SearchActions({ search: { id, name, person } }: { search: SavedSearch }) {
  return (
    <div className="row">
      <details className="confirm">
        <summary className="button">Rename</summary>
        <form method="post" className="confirm-body">
          <Hidden fields={{ id }} />
          <input
            className="input"
            name="name"
            aria-label="New name"
            defaultValue={name}
            maxLength={60}
            autoComplete="off"
            required
          />
          <SubmitButton intent="rename" label="Rename now" />
        </form>
      </details>
      <Confirm label="Remove" intent="remove" fields={{ id }}>
        {person === undefined ? 'The search is removed for everybody.' : 'The search is removed.'}
      </Confirm>
    </div>
  )
}
