/** What `name:value` may name, in the order in which a person is told of them. */
export const FILTERS = [
  'is',
  'release',
  'environment',
  'url',
  'browser',
  'os',
  'user',
  'tag',
  'level',
  'side',
  'first',
  'last'
] as const
export type FilterName = (typeof FILTERS)[number]

/** Other names for them. */
export const ALIASES: Readonly<Record<string, FilterName>> = { env: 'environment', visitor: 'user', route: 'url' }

/** What filters of a closed list take. */
export const VALUES = {
  is: ['unresolved', 'regressed', 'resolved', 'ignored', 'new'],
  level: ['fatal', 'error', 'warning', 'info', 'debug'],
  side: ['browser', 'server']
} as const satisfies Partial<Record<FilterName, readonly string[]>>

/** `release:1.4.2`: those of one name are alternatives, all others must hold. */
export interface Filter {
  kind: 'filter'
  name: FilterName
  /** Of `tag:name=value`. */
  tag?: string
  value: string
  /** With `-` or `!` before it. */
  negated: boolean
  /** Where it begins in the text. */
  position: number
}

/** What is looked for in type, value, culprit and address. */
export interface Word {
  kind: 'word'
  text: string
  /** In quotes: in this order, and whole. */
  isPhrase: boolean
  negated: boolean
  position: number
}

export type Term = Filter | Word

/** Terms in the order in which they were typed. */
export interface Search {
  terms: Term[]
}

export type NewFilter = Pick<Filter, 'name' | 'tag' | 'value'> & { negated?: boolean }

export const filtersOf = ({ terms }: Search, name?: FilterName): Filter[] =>
  terms.filter((term): term is Filter => term.kind === 'filter' && (name === undefined || term.name === name))

export const wordsOf = ({ terms }: Search): Word[] => terms.filter((term): term is Word => term.kind === 'word')
