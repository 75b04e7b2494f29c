import { fieldsOf, isFields, textOf } from './fields.ts'
import type { SpanDetail } from '../store/model.ts'

/** Attributes of a span, characters of a name and of a value, and of all together: four times what SDKs send. Ours. */
const MAX_ATTRIBUTES = 100
const MAX_NAME = 100
const MAX_VALUE = 1_000
const MAX_TOTAL = 12_000

/** What stands in columns of its own, or is the same for every span of a client. */
const ELSEWHERE =
  /^sentry\.(?:op|origin|release|environment|segment\.|sdk\.|trace_lifecycle|transaction|trace\.|sample_rate|is_localhost|timestamp\.|_internal)/

/** Addresses of visitors are not stored; nor is what proves who they are. */
const PRIVATE =
  /^(?:client\.address|client\.port|user\.ip_address|network\.peer\.|http\.request\.header\.(?:cookie|authorization|proxy-authorization|forwarded|x-forwarded-for|x-real-ip|cf-connecting-ip|true-client-ip|x-api-key|sentry-trace|baggage|traceparent)|http\.response\.header\.set-cookie)/i

/** Of the process or the visitor's machine: a segment says it, and its children needlessly say it again. */
const OF_THE_WHOLE =
  /^(?:user_agent\.|culture\.|device\.|os\.|app\.|process\.runtime|sentry\.replay_id|network\.local\.)/

/** A step that a request had no need of, as the browser has it: at zero. */
const PHASE = /^http\.request\.\w+_(?:start|end)$/

/**
 * Attributes as text, numbers and truth values: as they are, or each as `{ value, type }` in the newer model.
 * @param isSegment whether they are of a segment, which speaks for its children as well. @default true
 */
export function toAttributes(raw: unknown, isSegment = true): SpanDetail['attributes'] {
  const attributes: SpanDetail['attributes'] = {}
  let count = 0
  let total = 0
  for (const [name, given] of Object.entries(fieldsOf(raw))) {
    if (count === MAX_ATTRIBUTES || total > MAX_TOTAL) break
    if (name === '__proto__' || name === '' || ELSEWHERE.test(name) || PRIVATE.test(name)) continue
    if (!isSegment && OF_THE_WHOLE.test(name)) continue
    const value = toValue(isFields(given) && 'value' in given ? given.value : given)
    const key = textOf(name, MAX_NAME)
    if (value === undefined || key === undefined || (value === 0 && PHASE.test(name))) continue
    attributes[key] = value
    count += 1
    total += key.length + (typeof value === 'string' ? value.length : 8)
  }
  return attributes
}

function toValue(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'string') return textOf(value, MAX_VALUE)
  if (!Array.isArray(value)) return undefined
  const parts = value.slice(0, 50).filter((part) => typeof part !== 'object')
  return textOf(parts.join(', '), MAX_VALUE)
}

/** An attribute before it was bounded, of either model. */
export function attributeOf(raw: unknown, name: string): unknown {
  const given = Object.hasOwn(fieldsOf(raw), name) ? fieldsOf(raw)[name] : undefined
  return isFields(given) && 'value' in given ? given.value : given
}
