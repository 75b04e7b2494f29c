import type { FormState } from '@hull/shell/client'
import { SubmitButton } from '../shared/controls.tsx'
import type { SavedSearch } from '../../../queries/issues/saved-searches.ts'
import type { IssueSort } from '../../../queries/issues/issue-types.ts'
import { toSavedHref, toSavingHref } from '../../saved-search-hrefs.ts'
import { withView, type InboxView } from '../../view.ts'
import type { Sharing } from '../../view-models/saved-search.ts'
import { Choices, Menu } from '../shared/menu.tsx'
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

export function ShareChoice({ sharing, form }: { sharing: Sharing; form?: FormState | undefined }) {
  if (sharing === 'own') return null
  if (sharing === 'all') return <p className="quiet">Everybody who reads these issues will see it.</p>
  return (
    <label className="check">
      <input type="checkbox" name="share" value="on" defaultChecked={form?.values['share'] === 'on'} /> Share with
      everybody
    </label>
  )
}
