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

/** Text of a filter's value, and whether it is only the beginning or the end of what it finds; if both, a part of it. */
export interface Pattern {
  text: string
  isStart: boolean
  isEnd: boolean
}

/** Reads the asterisks of a value: `1.4.*` is a beginning, `*.0` an end, and `1.4\*` is the value `1.4*`. */
export function toPattern(value: string): Pattern {
  const isStart = value.endsWith('*') && !value.endsWith(String.raw`\*`)
  const rest = isStart ? value.slice(0, -1) : value.replace(/\\\*$/, '*')
  const isEnd = rest.startsWith('*') && value !== String.raw`\*`
  return { text: isEnd ? rest.slice(1) : rest.replace(/^\\(?=\\*\*.)/, ''), isStart, isEnd }
}

/** Whether a pattern finds a value. The end and a part of a value are found in upper and lower case, as in SQL. */
export function isMatch({ text, isStart, isEnd }: Pattern, value: string): boolean {
  if (!isEnd) return isStart ? value.startsWith(text) : value === text
  const [found, wanted] = [value.toLowerCase(), text.toLowerCase()]
  return isStart ? found.includes(wanted) : found.endsWith(wanted)
}

export const filtersOf = ({ terms }: Search, name?: FilterName): Filter[] =>
  terms.filter((term): term is Filter => term.kind === 'filter' && (name === undefined || term.name === name))

export const wordsOf = ({ terms }: Search): Word[] => terms.filter((term): term is Word => term.kind === 'word')
