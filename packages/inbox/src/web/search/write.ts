import { parseSearch } from './parse.ts'
import { filtersOf, type Filter, type FilterName, type NewFilter, type Search, type Term } from './terms.ts'

/** Text that {@link parseSearch} parses to the same search. */
export const writeSearch = ({ terms }: Search): string => terms.map(writeTerm).join(' ')

/** One filter as text; an empty value as `""`. */
export const writeFilter = (filter: NewFilter): string => writeTerm(toTerm(filter))

/** Filters whose value may be the beginning, the end or a part of what they find. */
const STARTS: readonly FilterName[] = ['release', 'introduced', 'environment', 'url', 'tag']

/** {@link writeFilter} for a filter that finds only this value, also if it begins or ends with an asterisk. */
export const writeExactFilter = (filter: NewFilter): string =>
  writeFilter(
    STARTS.includes(filter.name)
      ? { ...filter, value: filter.value.replace(/\*$/, String.raw`\*`).replace(/^\\*\*(?=.)/, String.raw`\$&`) }
      : filter
  )

function writeTerm(term: Term): string {
  const sign = term.negated ? '-' : ''
  if (term.kind === 'word') return sign + (term.isPhrase ? quoted(term.text) : term.text)
  const value = quote(term.value)
  // Quotes a name first: only there, and after the equals sign, does a quote have a meaning.
  if (term.name === 'tag')
    return `${sign}tag:${/["\s\\=]|^(?:\/\/|:)/.test(term.tag!) ? quoted(term.tag!) : term.tag}=${value}`
  return `${sign}${term.name}:${value}`
}

/** Also quotes a value that would make an address, a path or a namespace of the name before it: `url://x`. */
const quote = (text: string): string => (text === '' || /[\s"]|^(?:\/\/|\\|:)/.test(text) ? quoted(text) : text)

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const isSame = (one: NewFilter, other: NewFilter): boolean =>
  one.name === other.name &&
  one.tag === other.tag &&
  one.value === other.value &&
  (one.negated ?? false) === (other.negated ?? false)

export const hasFilter = (search: Search, filter: NewFilter): boolean =>
  filtersOf(search).some((one) => isSame(one, filter))

/** Adds the filter if it is missing. */
export const addFilter = (search: Search, filter: NewFilter): Search =>
  hasFilter(search, filter) ? search : { terms: [...search.terms, toTerm(filter)] }

/** Sets the only value of a filter; removes the filter without a value. */
export function setFilter(search: Search, name: FilterName, value?: string): Search {
  const others = search.terms.filter((term) => term.kind === 'word' || term.name !== name)
  const first = search.terms.findIndex((term) => term.kind === 'filter' && term.name === name)
  if (value !== undefined)
    others.splice(first < 0 ? others.length : Math.min(first, others.length), 0, toTerm({ name, value }))
  return { terms: others }
}

/** {@link addFilter} for typed text. Text that cannot be parsed is kept, with the filter appended. */
export function addInText(text: string, filter: NewFilter): string {
  try {
    return writeSearch(addFilter(parseSearch(text), filter))
  } catch {
    return `${text} ${writeFilter(filter)}`
  }
}

function toTerm({ name, tag, value, negated = false }: NewFilter): Filter {
  return { kind: 'filter', name, ...(tag !== undefined && { tag }), value, negated, position: 0 }
}
