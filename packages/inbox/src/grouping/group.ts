import { createHash } from 'node:crypto'
import type { EventDetail, Grouping } from '../store/model.ts'
import { listOwnPlaces } from './frames.ts'
import { isBlamedOnFrames, normaliseMessage } from './message.ts'

/** Version of what follows. Another one makes other keys; which issue a key leads to is a row of its own. */
export const ALGORITHM = 1

/** Innermost own frames that tell an error from another. More would split it by who called. */
const MAX_PLACES = 3

/** Characters of a part that are shown; all of it goes into the key. */
const MAX_SHOWN = 300

/** Entries of a fingerprint that are shown. */
const MAX_SHOWN_PARTS = 20

const DEFAULT = /^\{\{\s{0,8}default\s{0,8}\}\}$/

type Reasons = Grouping['why']

/**
 * Which events are one issue: those with the same key. The same for every deploy of the same error, since no line,
 * column, file hash or value goes into it. Expects frames as their source maps lead to.
 * @see docs/decisions/022-grouping.md
 */
export function groupEvent(event: EventDetail): Grouping {
  const usual = toUsualReasons(event)
  const why = toFingerprintReasons(event.fingerprint, usual) ?? usual
  const key = createHash('sha256')
    .update(JSON.stringify([`v${ALGORITHM}`, why.by, ...why.parts]))
    .digest('hex')
  return { key, algorithm: ALGORITHM, why: toShown(why) }
}

/** The event's own fingerprint; undefined where it has none, or asks for what happens without one. */
function toFingerprintReasons(fingerprint: readonly string[] | undefined, usual: Reasons): Reasons | undefined {
  const named = fingerprint?.filter((part) => part.trim() !== '')
  if (!named || named.every((part) => DEFAULT.test(part))) return undefined
  return { by: 'fingerprint', parts: named.flatMap((part) => (DEFAULT.test(part) ? usual.parts : [part])) }
}

function toUsualReasons(event: EventDetail): Reasons {
  const exception = event.exceptions.at(-1)
  if (!exception) return { by: 'message', parts: [normaliseMessage(event.message ?? '') || 'no message'] }
  const type = exception.type || 'Error'
  const isPlaced = isBlamedOnFrames(exception)
  const places = isPlaced ? listOwnPlaces(exception.frames, event.side, MAX_PLACES) : []
  if (places.length > 0) return { by: 'frames', parts: [type, ...places] }
  // A library says the same of every page, such as that its time is up: the route says whose fault it is.
  const route = isPlaced && event.route !== undefined ? [event.route] : []
  return { by: 'message', parts: [type, normaliseMessage(exception.value) || 'no message', ...route] }
}

const toShown = ({ by, parts }: Reasons): Reasons => ({
  by,
  parts: parts
    .slice(0, MAX_SHOWN_PARTS)
    .map((part) => (part.length > MAX_SHOWN ? `${part.slice(0, MAX_SHOWN)}…`.toWellFormed() : part))
})
