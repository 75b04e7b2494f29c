import { nearest } from '@hull/common/nearest.ts'
import { withCommas } from '../components/shared/format.ts'
import { scan, splitPair, type Token } from './scan.ts'
import { ALIASES, FILTERS, VALUES, type FilterName, type Search, type Term } from './terms.ts'
import { toTimeRange } from './times.ts'

/** Maximum characters of a search; long enough for a pasted message. A guess. */
export const MAX_SEARCH_LENGTH = 1_000

/** Maximum words and filters of a search. A guess. */
const MAX_TERMS = 60

/** A search that cannot be parsed. Its message is for the user. */
export class SearchInvalid extends Error {
  override name = 'SearchInvalid'
  /** Position in the text, from 0. */
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

/**
 * Parses a search such as `is:unresolved release:1.4.2 tag:colour=red -browser:safari "exact words" words`.
 * @throws SearchInvalid
 */
export function parseSearch(text: string): Search {
  if (text.length > MAX_SEARCH_LENGTH)
    throw new SearchInvalid(`A search can have at most ${withCommas(MAX_SEARCH_LENGTH)} characters.`, MAX_SEARCH_LENGTH)
  const terms: Term[] = []
  for (const token of scan(text)) {
    const term = toTerm(token, text)
    if (terms.length === MAX_TERMS)
      throw new SearchInvalid(`A search can have at most ${MAX_TERMS} words and filters.`, token.position)
    terms.push(term)
  }
  return { terms }
}

function toTerm(token: Token, text: string): Term {
  const { position, negated, isQuoted } = token
  const name = token.name?.toLowerCase()
  if (name === undefined) return { kind: 'word', text: token.text, isPhrase: isQuoted, negated, position }
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name]! : (name as FilterName)
  if (FILTERS.includes(known)) return toFilter(known, token)
  // `TypeError: something` is an error's title, not a filter.
  if (token.text === '') return { kind: 'word', text: `${token.name}:`, isPhrase: false, negated, position }
  throw new SearchInvalid(sayUnknown(name, token, text), position)
}

function sayUnknown(name: string, token: Token, text: string): string {
  const meant = nearest(name, [...FILTERS, ...Object.keys(ALIASES)])
  const typed = /^\S*/.exec(text.slice(token.position + Number(token.negated)))![0].replaceAll('"', '')
  const known = meant === undefined ? `The filters are ${toList(FILTERS)}.` : `Did you mean ${meant}?`
  return `Unknown filter "${name}". ${known} To search for the text itself, put it in quotes: "${typed}".`
}

function toFilter(name: FilterName, token: Token): Term {
  const { position, negated, text } = token
  const filter = { kind: 'filter', name, value: text, negated, position } as const
  if (text === '') throw new SearchInvalid(`${name}: needs a value, for example ${EXAMPLES[name]}.`, position)
  if (name === 'tag') {
    const { name: tag, value } = splitPair(token) ?? {}
    if (!tag || !value) throw new SearchInvalid(`tag: needs a name and a value, for example ${EXAMPLES.tag}.`, position)
    return { ...filter, tag, value }
  }
  if (name === 'first' || name === 'last') {
    if (toTimeRange(text, 0) === undefined)
      throw new SearchInvalid(`${name}: accepts a time, for example ${EXAMPLES[name]} (found "${text}").`, position)
    return filter
  }
  if (name === 'is' || name === 'level' || name === 'side') {
    const value = text.toLowerCase()
    const values: readonly string[] = VALUES[name]
    if (!values.includes(value)) throw new SearchInvalid(sayWrongValue(name, text, values), position)
    return { ...filter, value }
  }
  return filter
}

function sayWrongValue(name: string, text: string, values: readonly string[]): string {
  const meant = nearest(text.toLowerCase(), values)
  const hint = meant === undefined ? '' : ` Did you mean ${name}:${meant}?`
  return `${name}: accepts ${toList(values)} (found "${text}").${hint}`
}

const toList = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** One example of each filter, for messages and help. */
export const EXAMPLES: Readonly<Record<FilterName, string>> = {
  is: 'is:unresolved',
  release: 'release:1.4.2 or release:latest',
  introduced: 'introduced:1.4.2 or introduced:latest',
  environment: 'environment:production',
  url: 'url:/checkout',
  browser: 'browser:safari',
  os: 'os:android',
  user: 'user:7',
  assigned: 'assigned:me or assigned:none',
  followed: 'followed:me',
  tag: 'tag:colour=red',
  level: 'level:fatal',
  side: 'side:browser',
  first: 'first:24h or first:>2026-11-01',
  last: 'last:<7d or last:2026-11-01'
}
