/** A query in its terms: `is:unresolved url:"/a b" words` is three. A quote that is not closed ends with the query. */
const splitTerms = (query: string): string[] => query.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []

/** The query with one filter set to a value; a filter that it had, where only one makes sense, is replaced. */
export function withTerm(query: string, name: string, value: string): string {
  const written = `${name}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value}`
  const others = splitTerms(query).filter((term) => term !== written && !(name === 'is' && term.startsWith('is:')))
  return (name === 'is' ? [written, ...others] : [...others, written]).join(' ')
}

/** The state that a query asks for. */
export const stateOf = (query: string): string | undefined =>
  splitTerms(query)
    .findLast((term) => term.startsWith('is:'))
    ?.slice(3)
