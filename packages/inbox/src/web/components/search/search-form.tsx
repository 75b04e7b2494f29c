import type { ReactNode } from 'react'
import { SubmitButton } from '../shared/controls.tsx'
import type { InboxView } from '../../view.ts'
import { ViewFields } from '../shared/hidden-fields.tsx'
import { QueryError } from './search-input.tsx'

interface SearchFormProps {
  /** Path of the list. */
  action: string
  /** Name of the searched list, for screen readers. */
  label: string
  view: InboxView
  /** Error in the query. */
  error?: string | undefined
  /** The search field, and other fields. */
  children: ReactNode
}

/** Search of a list, which keeps the view. */
export const SearchForm = ({ action, label, view, error, children }: SearchFormProps) => (
  <form action={action} role="search" aria-label={label} className="search-form">
    <ViewFields view={view} />
    {children}
    <SubmitButton label="Search" />
    <QueryError error={error} />
  </form>
)
