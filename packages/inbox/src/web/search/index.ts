/**
 * Search language for issues, documented in docs/search.md of this package. Server and browser both read and write it.
 */
export { EXAMPLES, MAX_SEARCH_LENGTH, parseSearch, SearchInvalid } from './parse.ts'
export { ALIASES, FILTERS, filtersOf, isMatch, toPattern, VALUES, wordsOf } from './terms.ts'
export type { Filter, FilterName, NewFilter, Search, Word } from './terms.ts'
export { toTimeRange } from './times.ts'
export { addFilter, addInText, hasFilter, setFilter, writeExactFilter, writeFilter, writeSearch } from './write.ts'
