import { useState } from 'react'
import { useNavigation } from '#shell'
import type { IssueRow } from '../../../lib/inbox/queries/types.ts'

interface Held {
  /** The address of the list. */
  place: string
  /** What came last. */
  rows: IssueRow[]
  /** What is shown. */
  shown: IssueRow[]
  /** Somebody has asked for what comes next: it is shown in its own order. */
  isOpen: boolean
}

const begin = (place: string, rows: IssueRow[]): Held => ({ place, rows, shown: rows, isOpen: false })

/**
 * Rows in the order in which they were first shown, however often the data comes anew: what is new waits until somebody
 * asks for it, so that nothing moves under a pointer. What stands in a row is always the newest.
 * @param place the address of the list: another one begins anew
 */
export function useHeldOrder(rows: IssueRow[], place: string) {
  const isAsked = useNavigation().state !== 'idle'
  const [held, setHeld] = useState(() => begin(place, rows))
  let next = held
  // In an empty list there is nothing that could move.
  const isFree = held.isOpen || held.shown.length === 0
  if (held.place !== place || (isFree && held.rows !== rows)) next = begin(place, rows)
  else {
    if (held.rows !== rows) next = { ...held, rows, shown: renew(held.shown, rows) }
    if (isAsked && !next.isOpen) next = { ...next, isOpen: true }
  }
  if (next !== held) setHeld(next)

  const known = new Set(next.shown.map(({ id }) => id))
  return {
    rows: next.shown,
    /** How many rows wait. */
    arrived: rows.filter(({ id }) => !known.has(id)).length,
    showArrived: () => setHeld(begin(place, rows))
  }
}

/** A row that has left the list stays as it was. */
function renew(shown: IssueRow[], rows: IssueRow[]): IssueRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return shown.map((row) => byId.get(row.id) ?? row)
}
