import type { Store } from '../../store/store.ts'
import { askIsVisible } from './require-issue.ts'
import type { TagShare } from './issue-types.ts'

const DEFAULT_VALUES = 10

/** Most useful tags, in this order. Custom tags follow by name. */
const FIRST = ['release', 'environment', 'browser', 'os', 'url', 'transaction']

/** Asks for the distribution of each tag of an issue. Ingest limits them to 60 tags with 100 values each, and 1,000 releases. */
export function askTags(
  store: Store,
  { id, values = DEFAULT_VALUES }: { id: number; values?: number }
): () => TagShare[] {
  const isVisible = askIsVisible(store, id)
  const rows = store.ask<{ name: string; value: string; events: number }>(
    'SELECT name, value, events FROM issue_tag WHERE issue = ? ORDER BY name, value',
    id
  )
  return () => {
    if (!isVisible()) return []
    const names = Map.groupBy(rows(), ({ name }) => name)
    return [...names].map(([name, all]) => toShare(name, all, values)).sort((a, b) => rank(a.name) - rank(b.name))
  }
}

function toShare(name: string, rows: { value: string; events: number }[], most: number): TagShare {
  const total = rows.reduce((sum, { events }) => sum + events, 0)
  const shown = rows
    .filter(({ value }) => value !== '')
    .sort((a, b) => b.events - a.events)
    .slice(0, most)
  return {
    name,
    values: shown.map(({ value, events }) => ({ value, events, share: events / total })),
    others: total - shown.reduce((sum, { events }) => sum + events, 0)
  }
}

/** Rows are ordered by name, and the sort is stable. */
function rank(name: string): number {
  const place = FIRST.indexOf(name)
  return place < 0 ? FIRST.length : place
}
