import type { ComponentProps } from 'react'

export interface SearchInputProps {
  /** Name of the field in its form. @default 'q' */
  name?: string
  /** Text of the search, as the address has it. */
  query: string
  /** Accessible name. */
  label: string
  placeholder: string
  maxLength: number
  /** Error in the query, which {@link QueryError} shows. */
  error?: string | undefined
  /** @default 'mono' */
  className?: string
  /** Whether `/` moves the focus here. @default false */
  hasShortcut?: boolean
  /** Further attributes of the field. */
  field?: ComponentProps<'input'>
}

/** Search field of a form. */
export const SearchInput = ({
  name = 'q',
  query,
  label,
  placeholder,
  maxLength,
  error,
  className = 'mono',
  hasShortcut = false,
  field
}: SearchInputProps) => (
  <input
    key={query}
    className={`input ${className}`.trim()}
    type="search"
    name={name}
    defaultValue={query}
    aria-label={label}
    aria-describedby={error ? 'query-error' : undefined}
    aria-invalid={error ? true : undefined}
    placeholder={placeholder}
    autoComplete="off"
    autoCapitalize="off"
    spellCheck={false}
    maxLength={maxLength}
    data-search={hasShortcut || undefined}
    {...field}
  />
)

/** Error in the query. */
export const QueryError = ({ error }: { error: string | undefined }) =>
  error ? (
    <p className="field-error" id="query-error" role="alert">
      {error}
    </p>
  ) : null
