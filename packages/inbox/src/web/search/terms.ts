/** Filter names, in the order of the help. */
export const FILTERS = [
  'is',
  'release',
  'introduced',
  'environment',
  'url',
  'browser',
  'os',
  'user',
  'assigned',
  'followed',
  'tag',
  'level',
  'side',
  'first',
  'last'
] as const
export type FilterName = (typeof FILTERS)[number]

/** Aliases of filter names. */
export const ALIASES: Readonly<Record<string, FilterName>> = {
  env: 'environment',
  visitor: 'user',
  route: 'url',
  firstrelease: 'introduced',
  // of Sentry
  transaction: 'url',
  'user.id': 'user',
  'user.email': 'user',
  'user.username': 'user',
  'os.name': 'os',
  'browser.name': 'browser'
}

/** Values of the filters that accept fixed values only. */
export const VALUES = {
  is: ['unresolved', 'regressed', 'resolved', 'ignored', 'new'],
  level: ['fatal', 'error', 'warning', 'info', 'debug'],
  side: ['browser', 'server']
} as const satisfies Partial<Record<FilterName, readonly string[]>>

/** A filter such as `release:1.4.2`. Filters with the same name are alternatives; all others must match. */
export interface Filter {
  kind: 'filter'
  name: FilterName
  /** Name of `tag:name=value`. */
  tag?: string
  value: string
  /** Preceded by `-` or `!`. */
  negated: boolean
  /** Start in the text. */
  position: number
}

/** A word to find in type, value, culprit and URL. */
export interface Word {
  kind: 'word'
  text: string
  /** In quotes: matches as a phrase. */
  isPhrase: boolean
  negated: boolean
  position: number
}

export type Term = Filter | Word

/** Terms in the order of the text. */
export interface Search {
  terms: Term[]
}

export type NewFilter = Pick<Filter, 'name' | 'tag' | 'value'> & { negated?: boolean }

/** Text of a filter's value, and whether it is only the beginning: `1.4.*` is one, and `1.4\*` is the value `1.4*`. */
export function toPattern(value: string): { text: string; isStart: boolean } {
  if (!value.endsWith('*')) return { text: value, isStart: false }
  return value.endsWith(String.raw`\*`)
    ? { text: `${value.slice(0, -2)}*`, isStart: false }
    : { text: value.slice(0, -1), isStart: true }
}

export const filtersOf = ({ terms }: Search, name?: FilterName): Filter[] =>
  terms.filter((term): term is Filter => term.kind === 'filter' && (name === undefined || term.name === name))

export const wordsOf = ({ terms }: Search): Word[] => terms.filter((term): term is Word => term.kind === 'word')
