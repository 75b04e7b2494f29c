import { PayloadTooLarge, PayloadUnserialisable } from '../errors.ts'
import type { Codec, PagePayload } from '../routing/payload.ts'
import type { DeferredValues } from './deferred-values.ts'
import { encodeValue, ValueRefused } from './encode-value.ts'

/** Maximum characters of one encoded payload. A guess: a page that needs more should fetch it from another address. */
export const MAX_PAYLOAD_LENGTH = 8 * 1024 * 1024

export interface EncodedPayload {
  codec: Codec
  text: string
}

/**
 * Encodes a payload: as JSON if the data is a plain tree (a fifth of the cost), otherwise with devalue.
 * @param plain whether `inspectData` found all of the data plain
 * @param deferred collects the promises in the data
 * @throws PayloadUnserialisable with the file and the path of the value that would change
 * @throws PayloadTooLarge above {@link MAX_PAYLOAD_LENGTH}
 */
export function encodePayload(payload: PagePayload, plain: boolean, deferred: DeferredValues): EncodedPayload {
  const text = plain ? JSON.stringify(payload) : encodeData(payload, deferred)
  if (text.length > MAX_PAYLOAD_LENGTH) throw new PayloadTooLarge(text.length, MAX_PAYLOAD_LENGTH)
  return { codec: plain ? 'json' : 'devalue', text }
}

function encodeData(payload: PagePayload, deferred: DeferredValues): string {
  try {
    return encodeValue(payload, deferred.numbersIn(payload))
  } catch (error) {
    if (!(error instanceof ValueRefused)) throw error
    throw new PayloadUnserialisable(placeOf(payload, error.path), error.reason, { cause: error.cause })
  }
}

/** Describes a path in a payload, with the file whose function returned the value. */
export function placeOf({ page, layouts }: PagePayload, path: string): string {
  const layout = layouts[Number(/^\.layoutData\[(\d+)\]/.exec(path)?.[1])]
  const file = layout === undefined ? page : `/layouts/${layout}.tsx`
  return `${path || 'the top'}${file === null ? '' : ` of client${file}`}`
}

/** Characters above which escaping selectively is faster, even if every character is `<`. Measured. */
const LARGE_TEXT = 256 * 1024

/**
 * Makes JSON safe inside a script element: no `</script`, `<!--` or `<script` remains (HTML, script data states).
 * Escapes every `<`, which is three times as fast as escaping only the dangerous ones; in a large text only those.
 */
export function escapeScript(text: string): string {
  return text.length < LARGE_TEXT ? text.replaceAll('<', '\\u003C') : text.replace(/<(?=[/!sS])/g, '\\u003C')
}
