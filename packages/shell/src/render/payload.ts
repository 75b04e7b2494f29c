import { PayloadTooLarge, PayloadUnserialisable } from '../errors.ts'
import type { Codec, PagePayload } from '../routing/payload.ts'
import type { DeferredValues } from './deferred-values.ts'
import { encodeValue, ValueRefused } from './encode-value.ts'

/** Characters of one encoded payload. A guess: a page that needs more wants another address to fetch it from. */
export const MAX_PAYLOAD_LENGTH = 8 * 1024 * 1024

export interface EncodedPayload {
  codec: Codec
  text: string
}

/**
 * Encodes a payload: as JSON where the data is a plain tree (a fifth of the cost), else by devalue.
 * @param plain whether `inspectData` found all of its data plain
 * @param deferred takes the promises in it
 * @throws PayloadUnserialisable naming the file and the path of what would not arrive as what it is
 * @throws PayloadTooLarge past {@link MAX_PAYLOAD_LENGTH}
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

/** A path in a payload, and the file whose function returned what is there. */
export function placeOf({ page, layouts }: PagePayload, path: string): string {
  const layout = layouts[Number(/^\.layoutData\[(\d+)\]/.exec(path)?.[1])]
  const file = layout === undefined ? page : `/layouts/${layout}.tsx`
  return `${path || 'the top'}${file === null ? '' : ` of client${file}`}`
}

/** Characters from which on the careful way of escaping is the faster one, should all of them be `<`. Measured. */
const LARGE_TEXT = 256 * 1024

/**
 * Makes JSON safe inside a script element: no `</script`, `<!--` or `<script` is left (HTML, script data states). Every
 * `<` is escaped, three times as fast as only those that must be; in a large text only those.
 */
export function escapeScript(text: string): string {
  return text.length < LARGE_TEXT ? text.replaceAll('<', '\\u003C') : text.replace(/<(?=[/!sS])/g, '\\u003C')
}
