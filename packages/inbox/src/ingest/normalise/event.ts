import { createHash } from 'node:crypto'
import { toRequest, userAgentOf } from '../request.ts'
import { isMobile, sideOf, toSdkNames } from '../side.ts'
import { readUserAgent } from '../user-agent.ts'
import { isCredential, removeCredentials, withoutCredential } from '../credentials.ts'
import type { VisitorHint } from '../visitors.ts'
import { toPastServerTime, toServerTime, type TransferTimes } from '../clock.ts'
import { marksOf, toComponents, toExceptions, toThreads } from './exceptions.ts'
import {
  parseObject,
  toId,
  asList,
  asObject,
  clean,
  toDisplay,
  toPairs,
  toRelease,
  toText,
  toTexts,
  type Raw
} from '../fields.ts'
import type { Breadcrumb, EventDetail, Level, Side } from '../../store/model.ts'

/*
 * Converts an event of a client to the stored form: all parts are bounded, all values are text. The limits are guesses
 * above what SDKs send, except where a comment says otherwise.
 */

/** Relay has the same limit for a tag's value; it keeps 32 characters of the name. */
const TAGS = { entries: 50, name: 64, value: 200 }
const CONTEXT = { entries: 30, name: 100, value: 512 }
const USER = { entries: 20, name: 100, value: 512 }
const EXTRA = { entries: 50, name: 100, value: 4_096 }
const CRUMB = { entries: 16, name: 64, value: 512 }
const MAX_CONTEXTS = 20
/** As many as SDKs keep. */
const MAX_BREADCRUMBS = 100
const MAX_FINGERPRINT = 20

/** A Map rather than an object, so that `constructor` is not found. The numbers are those of Python's logging. */
const LEVELS = new Map<string, Level>([
  ['fatal', 'fatal'],
  ['critical', 'fatal'],
  ['error', 'error'],
  ['warning', 'warning'],
  ['warn', 'warning'],
  ['info', 'info'],
  ['log', 'info'],
  ['debug', 'debug'],
  ['50', 'fatal'],
  ['40', 'error'],
  ['30', 'warning'],
  ['20', 'info'],
  ['10', 'debug']
])

/** Contexts that are left out, because other fields have their values; `__proto__` is left out for safety. */
const SEPARATE_CONTEXTS = new Set(['trace', 'react', '__proto__'])

/** A normalised event, and the parts of it that are used but not stored. */
export interface NormalisedEvent {
  detail: EventDetail
  /** Only used to distinguish visitors. */
  visitor: VisitorHint
  userAgent?: string
  /** Debug ids by URL or path of the built file. The build writes them into the files. */
  debugIds: Map<string, string>
}

export interface EventTransfer extends TransferTimes {
  /** Valid event id in the envelope's header. */
  eventId?: string | undefined
}

/**
 * Normalises an event of any SDK.
 * @throws SyntaxError if the payload is not JSON
 * @throws TypeError if it is not an object
 */
export function normaliseEvent(payload: Uint8Array, arrival: EventTransfer): NormalisedEvent {
  const event = parseObject(payload)
  const contexts = asObject(event.contexts)
  const side = sideOf({ platform: toText(event.platform, 40), sdk: toSdkNames(event.sdk), contexts })
  const request = toRequest(event)
  const userAgent = userAgentOf(request)
  const program = userAgent === undefined ? undefined : readUserAgent(userAgent)
  const { user, visitor } = toUser(event)
  const components = toComponents(asObject(contexts.react).componentStack)
  const { at, shift } = toServerTime(event.timestamp, arrival)
  const marks = marksOf(event, side)
  const exceptions = toExceptions(event, marks)
  const threads = toThreads(event, exceptions, marks)
  const { message, template } = toMessage(event)
  const tags = toTags(event)
  const detail: EventDetail = {
    eventId: toId(event.event_id, 32) ?? arrival.eventId ?? digestOf(payload),
    at,
    level: LEVELS.get(toText(event.level, 16)?.toLowerCase() ?? '') ?? 'error',
    side,
    platform: toText(event.platform, 64) ?? 'other',
    ...optional('message', message),
    ...optional('template', template),
    exceptions,
    ...(threads.length > 0 && { threads }),
    ...optional('release', toRelease(event.release)),
    environment: toText(event.environment, 64) ?? '',
    ...optional('route', toRoute(event)),
    ...optional('url', request?.url),
    ...optional('browser', toProgram(contexts.browser) ?? program?.browser),
    ...optional('os', toVisitorSystem(contexts, side) ?? program?.system),
    ...optional('user', user),
    ...optional('traceId', toId(asObject(contexts.trace).trace_id, 32)),
    ...optional('spanId', toId(asObject(contexts.trace).span_id, 16)),
    ...optional('digest', tags.find(([name]) => name === 'digest')?.[1].slice(0, 64)),
    tags,
    breadcrumbs: toBreadcrumbs(event, shift, arrival),
    ...optional('request', request),
    contexts: toContexts(contexts),
    extra: toTexts(event.extra ?? event['sentry.interfaces.Extra'], EXTRA),
    ...(components.length > 0 && { components }),
    ...optional('sdk', toSdk(event)),
    ...optional('fingerprint', toFingerprint(event.fingerprint))
  }
  return { detail, visitor, ...(userAgent !== undefined && { userAgent }), debugIds: toDebugIds(event) }
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined | ''): { [N in Name]?: Value } {
  return value === undefined || value === '' ? {} : ({ [name]: value } as { [N in Name]?: Value })
}

/** Returns the tags, with the fields of an event that are tags in Sentry too. */
function toTags(event: Raw): [string, string][] {
  const { server_name, logger, dist } = event
  const sent = toPairs(event.tags ?? event['sentry.interfaces.Tags'], TAGS)
  return toPairs([...sent, ['server_name', server_name], ['logger', logger], ['dist', dist]], TAGS)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, withoutCredential(name, value)])
}

/** Returns an id for an event without one. The same payload always has the same id. */
const digestOf = (payload: Uint8Array): string => createHash('sha256').update(payload).digest('hex').slice(0, 32)

/**
 * Returns the route without the method: a server's `GET /items/[id]` and a browser's `/items/[id]` are the same route.
 */
const toRoute = ({ transaction, culprit }: Raw): string | undefined =>
  (toText(transaction, 300) ?? toText(culprit, 300))?.replace(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) +(?=\/)/, '')

function toProgram(context: unknown): string | undefined {
  const { name: rawName, version } = asObject(context)
  const name = toText(rawName, 100)
  const main = /^\d{1,9}/.exec(toText(version, 100) ?? '')?.[0]
  return name && (main ? `${name} ${main}` : name)
}

/** Returns the visitor's system. On a server, the context is that of the server. */
function toVisitorSystem({ client_os: client, os }: Raw, side: Side): string | undefined {
  const system = toProgram(client ?? os)
  return client !== undefined || side === 'browser' || isMobile(system) ? system : undefined
}

/** Fields of a user that are not among its data. */
const USER_FIELDS = new Set(['id', 'username', 'name', 'email', 'ip_address', 'geo', 'data'])

/** Leaves out the address, and the place that a provider derives from it. */
function toUser(event: Raw): { user: EventDetail['user']; visitor: NormalisedEvent['visitor'] } {
  const sent = asObject(event.user ?? event['sentry.interfaces.User'])
  const id = toText(sent.id, 128)
  const name = toText(sent.username, 128) ?? toText(sent.name, 128)
  const email = toText(sent.email, 254)
  const address = toText(sent.ip_address, 64)
  const texts = { ...toTexts(sent, USER, USER_FIELDS), ...toTexts(sent.data, USER, USER_FIELDS) }
  const user = {
    ...optional('id', id),
    ...optional('name', name),
    ...optional('email', email),
    ...(Object.keys(texts).length > 0 && { data: texts })
  }
  return {
    user: Object.keys(user).length > 0 ? user : undefined,
    visitor: {
      ...optional('id', id),
      ...optional('name', name ?? email),
      // '{{auto}}' stands for the address of the client.
      ...(address !== undefined && !address.startsWith('{') && { address })
    }
  }
}

/** Returns the newest breadcrumbs. */
function toBreadcrumbs(event: Raw, shift: number, arrival: TransferTimes): Breadcrumb[] {
  const sent = asList(event.breadcrumbs ?? event['sentry.interfaces.Breadcrumbs']).slice(-MAX_BREADCRUMBS)
  return sent.map((entry) => {
    const crumb = asObject(entry)
    return {
      ...optional('at', toPastServerTime(crumb.timestamp, shift, arrival)),
      type: toText(crumb.type, 32) ?? 'default',
      category: toText(crumb.category, 64) ?? '',
      level: toText(crumb.level, 16) ?? 'info',
      message: toDisplay(crumb.message ?? '', 1_024),
      data: toTexts(crumb.data, CRUMB)
    }
  })
}

function toContexts(contexts: Raw): EventDetail['contexts'] {
  const kept = Object.keys(contexts).filter((name) => !SEPARATE_CONTEXTS.has(name))
  return Object.fromEntries(
    kept.slice(0, MAX_CONTEXTS).map((name) => {
      const sent = contexts[name]
      return [clean(name, 100), toTexts(isCredential(name, sent) ? { [name]: sent } : sent, CONTEXT)]
    })
  )
}

function toSdk({ sdk }: Raw): string | undefined {
  const { name, version } = asObject(sdk)
  const text = toText(name, 100)
  return text && `${text}@${toText(version, 50) ?? '?'}`
}

function toFingerprint(sent: unknown): string[] | undefined {
  if (!Array.isArray(sent) || sent.length === 0) return undefined
  return sent.slice(0, MAX_FINGERPRINT).map((part) => toDisplay(part, 256))
}

function toDebugIds({ debug_meta: meta }: Raw): Map<string, string> {
  const ids = new Map<string, string>()
  for (const entry of asList(asObject(meta).images).slice(0, 200)) {
    const { type, code_file: file, debug_id: id } = asObject(entry)
    const hex = typeof id === 'string' && id.length <= 36 ? id.toLowerCase() : ''
    if (type === 'sourcemap' && typeof file === 'string' && /^[\da-f-]{32,36}$/.test(hex))
      ids.set(clean(file, 1_024), hex)
  }
  return ids
}

/** Maximum characters of a message, as in Relay. */
const MAX_MESSAGE = 8_192

/** Maximum parameters of a message. */
const MAX_PARAMS = 100

/**
 * Placeholders: `%s`, `%(name)s`, `%05.2f`, `%%` of Python and printf; `{}`, `{0}`, `{name}`, `{name:format}` of .NET,
 * Python and Rust.
 */
const PLACEHOLDER =
  /%%|%(?:\((?<printfName>[\w.-]{1,64})\))?[-+ #0]{0,5}\d{0,6}(?:\.\d{0,6})?[sdifgeEoxXcrjO]|\{(?<braceName>[\w.-]{0,64})(?:[:,][^{}]{0,64})?\}/g

/** Returns the message of an event in any version of the protocol, and its template if it has one that says something. */
function toMessage(event: Raw): { message?: string; template?: string } {
  for (const sent of [event.logentry, event['sentry.interfaces.Message'], event.message]) {
    const { formatted, message, params } = asObject(sent)
    const template = toText(message, MAX_MESSAGE)
    const text =
      toText(formatted, MAX_MESSAGE) ??
      (template === undefined ? undefined : fillIn(template, params)) ??
      toText(sent, MAX_MESSAGE)
    if (text === undefined) continue
    const isTemplate =
      template !== undefined && template !== text && /\p{L}{2}/u.test(template.replace(PLACEHOLDER, ''))
    return { message: clean(removeCredentials(text), MAX_MESSAGE), ...(isTemplate && { template }) }
  }
  return {}
}

/**
 * Replaces the placeholders of a template by parameters, from a list or an object. Keeps placeholders without a
 * parameter.
 */
function fillIn(template: string, params: unknown): string {
  if (typeof params !== 'object' || params === null) return template
  const list = Array.isArray(params) ? params.slice(0, MAX_PARAMS) : []
  const named = asObject(params)
  let next = 0
  // A short template may name a long parameter a thousand times.
  let room = MAX_MESSAGE
  const filled = template.replace(PLACEHOLDER, (place, ...rest) => {
    if (room <= 0) return ''
    if (place === '%%') return '%'
    const { printfName, braceName } = rest.at(-1) as Record<string, string | undefined>
    const name = printfName ?? braceName ?? ''
    const value = name === '' ? list[next++] : Array.isArray(params) ? list[Number(name)] : ownValue(named, name)
    if (value === undefined) return place
    const text = toDisplay(value, room)
    room -= text.length
    return text
  })
  return toText(filled, MAX_MESSAGE) ?? template
}

const ownValue = (record: Raw, name: string): unknown => (Object.hasOwn(record, name) ? record[name] : undefined)
