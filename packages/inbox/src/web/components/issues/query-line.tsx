import type { ReactNode } from 'react'
import { SubmitButton } from '../shared/controls.tsx'
import { EXAMPLES, FILTERS, MAX_SEARCH_LENGTH } from '../../search/index.ts'
import type { InboxView } from '../../view.ts'
import { ViewFields } from '../shared/hidden-fields.tsx'
import { QueryError } from '../search/search-input.tsx'
import { SuggestingInput } from '../search/suggesting-input.tsx'
import { Menu } from '../shared/menu.tsx'

interface QueryLineProps {
  /** Menu of saved searches. */
  saved: ReactNode
  query: string
  /** Error in the query. */
  error?: string
  view: InboxView
  sort?: string
}

/** Filters with a value to type; the others have buttons. */
const TYPED = FILTERS.filter((name) => name !== 'is')

/** Search field. Filter buttons write into its text as well. */
export function QueryLine({ saved, query, error, view, sort }: QueryLineProps) {
  const kept = (
    <>
      <ViewFields view={view} />
      {sort && <input type="hidden" name="sort" value={sort} />}
    </>
  )
  return (
    <div className="query">
      <form action="/inbox/issues" role="search" className="query-line">
        {kept}
        <SuggestingInput
          scope={{ project: view.project }}
          query={query}
          label="Search issues"
          placeholder="is:unresolved url:/checkout, words, digest, event or trace id"
          maxLength={MAX_SEARCH_LENGTH}
          error={error}
          hasShortcut
        />
        <kbd className="needs-script" aria-hidden="true">
          /
        </kbd>
        <SubmitButton label="Search" />
      </form>
      <div className="query-menus">
        {saved}
        <Menu key={query} className="menu-button" purpose="Add a filter" label="Filter" side="end">
          <form action="/inbox/issues" className="menu-foot">
            {kept}
            <input type="hidden" name="q" value={query} />
            <label className="menu-field">
              <span>Field</span>
              <select className="input" name="add">
                {TYPED.map((name) => (
                  <option key={name} value={name}>
                    {`${name} (for example ${EXAMPLES[name].slice(name.length + 1)})`}
                  </option>
                ))}
              </select>
            </label>
            <label className="menu-field">
              <span>Value</span>
              <input className="input" name="value" required maxLength={200} autoComplete="off" />
            </label>
            <SubmitButton label="Add filter" />
          </form>
        </Menu>
      </div>
      <QueryError error={error} />
    </div>
  )
}
