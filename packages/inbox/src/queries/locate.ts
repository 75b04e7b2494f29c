import type { Store } from '../store/store.ts'
import { findMerged } from './issues/issue.ts'
import { canSee, isVisible, projectsOf, visibleTo } from './scope.ts'

/** Target of a search for an id. */
export type Located =
  | { kind: 'event'; issue: number; eventId: string }
  | { kind: 'issue'; issue: number }
  | { kind: 'trace'; traceId: string }

const HEX_ID = /^[\da-f]{32}$/
const DIGEST = /^[\dA-Z]{6,64}$/
const ISSUE = /^#(\d{1,15})$/

interface EventPlace {
  issue: number
  eventId: string
}

/**
 * Finds the target of an event id (with or without dashes), a trace id, a digest as quoted by a visitor, or `#12`: the
 * issue, or the one that it was merged into.
 * @returns undefined for other text and for unknown ids
 */
export function locate(store: Store, { text }: { text: string }): Located | undefined {
  const trimmed = text.trim()
  if (trimmed.length > 64) return undefined
  const number = ISSUE.exec(trimmed)?.[1]
  if (number !== undefined) return locateIssue(store, Number(number))
  const id = trimmed.replaceAll('-', '').toLowerCase()
  const found = HEX_ID.test(id) ? (locateEvent(store, id) ?? locateTrace(store, id)) : undefined
  return found ?? locateDigest(store, trimmed)
}

function locateIssue(store: Store, id: number): Located | undefined {
  const issue = store.get<{ project: number }>('SELECT project FROM issue WHERE id = ?', id)
  if (issue) return canSee(store, issue.project) ? { kind: 'issue', issue: id } : undefined
  const merged = findMerged(store, { id })
  return merged === undefined ? undefined : { kind: 'issue', issue: merged }
}

function locateEvent(store: Store, eventId: string): Located | undefined {
  for (const project of projectsOf(store, undefined)) {
    const found = store.get<EventPlace>(
      'SELECT issue, event_id AS eventId FROM event WHERE project = ? AND event_id = ?',
      project,
      eventId
    )
    if (found) return { kind: 'event', ...found }
  }
  return undefined
}

/** A trace may consist of errors or log lines only. */
function locateTrace(store: Store, traceId: string): Located | undefined {
  const visible = visibleTo(store)
  const isKnown = ['span', 'event', 'log'].some((table) =>
    store.get(`SELECT 1 FROM ${table} WHERE trace_id = ?1 AND ${isVisible('project', '?2')} LIMIT 1`, traceId, visible)
  )
  return isKnown ? { kind: 'trace', traceId } : undefined
}

/** Accepts a digest read out on the phone: any case, O for zero, I or L for one. */
function locateDigest(store: Store, text: string): Located | undefined {
  const digest = text.replaceAll(/[\s-]/g, '').toUpperCase()
  if (!DIGEST.test(digest)) return undefined
  const corrected = digest.replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const newest = store.get<EventPlace>(
    `SELECT issue, event_id AS eventId FROM event WHERE digest IN (?1, ?2, ?3)
       AND ${isVisible('project', '?4')} ORDER BY id DESC LIMIT 1`,
    text,
    digest,
    corrected,
    visibleTo(store)
  )
  return newest && { kind: 'event', ...newest }
}
