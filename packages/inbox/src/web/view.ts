import type { View } from '../store/model.ts'
import { DAY, HOUR } from '@hull/common/time.ts'
import type { PageLink } from './view-models/paging.ts'

/** Relative ranges of a view, by their names in addresses. */
export const RANGES = { '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY } as const
export type RangeName = keyof typeof RANGES
const DEFAULT_RANGE: RangeName = '24h'

/** Longest range in milliseconds: more than any retention period. */
const MAX_SPAN = 400 * DAY

/** Maximum issues that a form changes. */
export const MAX_CHANGED = 500

/** Maximum exact count of the rows of a list; more are shown as `9,999+`. */
export const MAX_COUNT = 9_999

/** The same for traces, where all segments of a trace are read to find the one that represents it. */
export const MAX_TRACE_COUNT = 999

/** Maximum characters of a release or an environment in an address. */
const MAX_VALUE_LENGTH = 250

/** A view, and its form in addresses. */
export interface InboxView extends View {
  /** A relative range, or `custom` for fixed times from `since` to `until`. */
  range: RangeName | 'custom'
}

/** Query parameters of a view. */
const VIEW_NAMES = ['project', 'environment', 'release', 'range', 'since', 'until'] as const

/** Query parameters of a single page view, which other views do not keep. */
const PASSING_NAMES = ['cursor', 'offset', 'back'] as const

/**
 * Reads the view from an address: `?project=1&environment=production&release=1.4.2&range=7d`, or
 * `?since=2026-11-20T09:00&until=2026-11-20T12:00` in UTC, in either order. Ignores invalid parameters.
 * @param now milliseconds since the epoch
 */
export function toView(search: URLSearchParams, now: number): InboxView {
  const view: InboxView = { ...toSpan(search, now) }
  const project = search.get('project') ?? ''
  if (/^[1-9]\d{0,8}$/.test(project)) view.project = Number(project)
  for (const name of ['environment', 'release'] as const) {
    const value = search.get(name)
    if (value && value.length <= MAX_VALUE_LENGTH) view[name] = value
  }
  return view
}

function toSpan(search: URLSearchParams, now: number): Pick<InboxView, 'since' | 'until' | 'range'> {
  let [since, until] = [toTime(search.get('since')), toTime(search.get('until'))]
  if (since !== undefined && until !== undefined && since > until) [since, until] = [until, since]
  if (since !== undefined && since < (until ?? now)) {
    const end = Math.min(until ?? now, now + DAY)
    if (since < end) return { since: Math.max(since, end - MAX_SPAN), until: end, range: 'custom' }
  }
  const requested = search.get('range') ?? ''
  const range = Object.hasOwn(RANGES, requested) ? (requested as RangeName) : DEFAULT_RANGE
  return { since: now - RANGES[range], until: now, range }
}

/** `2026-11-20T09:00`, from a date and time field, is UTC; a full ISO time keeps its zone. */
function toTime(text: string | null): number | undefined {
  if (!text || !/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z?)?$/.test(text)) return undefined
  const time = Date.parse(text.length > 10 && !text.endsWith('Z') ? `${text}Z` : text)
  return Number.isNaN(time) ? undefined : time
}

/** A time for a date and time field: UTC, to the minute. */
export const toTimeField = (time: number): string => new Date(time).toISOString().slice(0, 16)

/** Query parameters of a view, in a fixed order, without defaults. */
export function viewFields(view: InboxView): Array<[name: string, value: string]> {
  const { project, environment, release, range, since, until } = view
  const fields: Array<[string, string | undefined]> = [
    ['project', project === undefined ? undefined : String(project)],
    ['environment', environment],
    ['release', release]
  ]
  if (range === 'custom') fields.push(['since', toTimeField(since)], ['until', toTimeField(until)])
  else if (range !== DEFAULT_RANGE) fields.push(['range', range])
  return fields.filter((field): field is [string, string] => field[1] !== undefined)
}

/**
 * The same page in another view. Keeps all other parameters except those of a single page view, such as the list's
 * cursor.
 * @param href a path of this application, with or without query and hash
 */
export function withView(href: string, view: InboxView): string {
  // Most addresses have neither, and a page has a hundred of them.
  if (!/[?#]/.test(href)) return href + queryOf(view)
  const { pathname, searchParams, hash } = new URL(href, 'http://here.invalid')
  for (const name of [...VIEW_NAMES, ...PASSING_NAMES]) searchParams.delete(name)
  for (const [name, value] of viewFields(view)) searchParams.append(name, value)
  const query = searchParams.toString()
  return pathname + (query && `?${query}`) + hash
}

/** Address of a page of a list; for the first page, the address of the list. */
export function withPage(href: string, { cursor, offset, back }: PageLink): string {
  if (cursor === undefined) return href
  const fields = new URLSearchParams({
    cursor,
    ...(offset !== undefined && { offset: String(offset) }),
    ...(back !== undefined && { back })
  })
  return `${href}${href.includes('?') ? '&' : '?'}${fields}`
}

const queries = new WeakMap<InboxView, string>()

/** With its question mark; empty for the default view. */
function queryOf(view: InboxView): string {
  let query = queries.get(view)
  if (query === undefined) {
    const text = new URLSearchParams(viewFields(view)).toString()
    queries.set(view, (query = text && `?${text}`))
  }
  return query
}
