import { categoryOf } from '@hull/monitoring/envelope'
import { explainDrop } from '../ingest/drop-reasons.ts'
import { REFUSED_CATEGORIES } from '../ingest/drops.ts'
import type { StoreHealth } from '../queries/overview/health-types.ts'
import { totalOf, type Examination, type Finding, type Outcome } from './finding.ts'

/** Where the items of a type are shown. */
const SHOWN: Readonly<Record<string, string>> = {
  event: 'Issues',
  transaction: 'Traces and vitals',
  span: 'Traces and vitals',
  session: 'Overview and releases',
  sessions: 'Overview and releases',
  log: 'Logs',
  otel_log: 'Logs',
  check_in: 'Monitors',
  feedback: 'Feedback, and with its event',
  user_report: 'Feedback, and with its event',
  attachment: 'with its event or feedback',
  client_report: 'counted above as dropped by clients'
}

/** @returns undefined if the tunnel lost nothing, and the store does not answer: it may have */
export function checkDrops({ health, tunnel }: Examination): Outcome | undefined {
  const all = [
    ...(health?.drops ?? []),
    ...(tunnel?.drops ?? []).map(({ reason, category, quantity }) => ({ origin: 'tunnel', reason, category, quantity }))
  ]
  const drops = joinAlike(
    all.map(({ origin, reason, category, quantity }) => ({ ...explainDrop(origin, reason, category), quantity }))
  ).sort((a, b) => Number(a.isHarmless) - Number(b.isHarmless) || b.quantity - a.quantity)
  const lost = totalOf(drops.filter(({ isHarmless }) => !isHarmless))
  if (lost === 0 && !health) return undefined
  if (drops.length === 0) return { verdict: 'good', says: 'Nothing was dropped in the last day.' }
  if (lost === 0)
    return {
      verdict: 'good',
      says: 'Only items that were meant to be dropped were dropped in the last day.',
      drops
    }
  return {
    check: 'Data was lost in the last day',
    verdict: 'look',
    says: `${lost} ${lost === 1 ? 'item was' : 'items were'} dropped.`,
    drops
  }
}

/** Adds up drops with the same words: some categories have the same name. */
function joinAlike(drops: Required<Finding>['drops']): Required<Finding>['drops'] {
  const byWords = Map.groupBy(drops, ({ what, why }) => `${what}\n${why}`)
  return [...byWords.values()].map((alike) => ({ ...alike[0]!, quantity: totalOf(alike) }))
}

/** Lists the types of items that were ever received, and what becomes of them. */
export function listTypes({ types }: StoreHealth): Outcome {
  return {
    verdict: 'good',
    says: types.length === 0 ? 'No item has been received yet.' : 'Items received since the inbox was created:',
    ...(types.length > 0 && { types: types.map((row) => ({ ...row, shown: whereShown(row.type) })) })
  }
}

function whereShown(type: string): string {
  if (REFUSED_CATEGORIES.includes(categoryOf(type)))
    return `counted and dropped: ${explainDrop('inbox', 'unsupported', categoryOf(type)).why}`
  return (Object.hasOwn(SHOWN, type) && SHOWN[type]) || 'stored until the retention deletes it; no screen shows it'
}
