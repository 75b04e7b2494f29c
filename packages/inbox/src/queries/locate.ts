import type { Store } from '../store/store.ts'
import { projectsOf } from './scope.ts'
import type { Located } from './types.ts'

const HEX_ID = /^[\da-f]{32}$/
const DIGEST = /^[\dA-Z]{6,64}$/
const ISSUE = /^#(\d{1,15})$/

interface EventPlace {
  issue: number
  event_id: string
}

/**
 * Where an event id, with dashes or without, a trace id, a digest as a visitor reads it out, or `#12` leads.
 * @returns undefined where it is none of these, or none that is known
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
  return store.get('SELECT 1 FROM issue WHERE id = ?', id) && { kind: 'issue', issue: id }
}

function locateEvent(store: Store, eventId: string): Located | undefined {
  for (const project of projectsOf(store, undefined)) {
    const found = store.get<EventPlace>(
      'SELECT issue, event_id FROM event WHERE project = ? AND event_id = ?',
      project,
      eventId
    )
    if (found) return toLocated(found)
  }
  return undefined
}

/** A trace that only errors tell of is one too. */
function locateTrace(store: Store, traceId: string): Located | undefined {
  const isKnown =
    store.get('SELECT 1 FROM span WHERE trace_id = ? LIMIT 1', traceId) ??
    store.get('SELECT 1 FROM event WHERE trace_id = ? LIMIT 1', traceId)
  return isKnown && { kind: 'trace', traceId }
}

/** Told over the phone: in any case, an O is a zero, an I or L a one. */
function locateDigest(store: Store, text: string): Located | undefined {
  const digest = text.replaceAll(/[\s-]/g, '').toUpperCase()
  if (!DIGEST.test(digest)) return undefined
  const heard = digest.replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const found = store.get<EventPlace>(
    'SELECT issue, event_id FROM event WHERE digest IN (?, ?, ?) ORDER BY id DESC LIMIT 1',
    text,
    digest,
    heard
  )
  return found && toLocated(found)
}

const toLocated = ({ issue, event_id: eventId }: EventPlace): Located => ({ kind: 'event', issue, eventId })
