import { asObject, toDisplay, toText, type Raw } from './text.ts'

/** Characters of a message; Relay keeps 8192 as well. */
const MAX_MESSAGE = 8_192

/** Parameters that are filled in. */
const MAX_PARAMS = 100

/** Python's and printf's `%s`, `%(name)s`, `%05.2f`, `%%`; `{}`, `{0}`, `{name}`, `{name:format}` of .NET, Python and Rust. */
const PLACEHOLDER =
  /%%|%(?:\((?<printfName>[\w.-]{1,64})\))?[-+ #0]{0,5}\d{0,6}(?:\.\d{0,6})?[sdifgeEoxXcrjO]|\{(?<braceName>[\w.-]{0,64})(?:[:,][^{}]{0,64})?\}/g

/** The message of an event, of any age of the protocol. */
export function toMessage(event: Raw): string | undefined {
  for (const told of [event.logentry, event['sentry.interfaces.Message'], event.message]) {
    const { formatted, message, params } = asObject(told)
    const template = toText(message, MAX_MESSAGE)
    const text =
      toText(formatted, MAX_MESSAGE) ??
      (template === undefined ? undefined : fillIn(template, params)) ??
      toText(told, MAX_MESSAGE)
    if (text !== undefined) return text
  }
  return undefined
}

/** Puts parameters, a list or an object, in the places of a template. A place without a parameter stays as it is. */
function fillIn(template: string, params: unknown): string {
  if (typeof params !== 'object' || params === null) return template
  const list = Array.isArray(params) ? params.slice(0, MAX_PARAMS) : []
  const named = asObject(params)
  let next = 0
  const filled = template.replace(PLACEHOLDER, (place, ...rest) => {
    if (place === '%%') return '%'
    const { printfName, braceName } = rest.at(-1) as Record<string, string | undefined>
    const name = printfName ?? braceName ?? ''
    const value = name === '' ? list[next++] : Array.isArray(params) ? list[Number(name)] : ownValue(named, name)
    return value === undefined ? place : toDisplay(value, MAX_MESSAGE)
  })
  return toText(filled, MAX_MESSAGE) ?? template
}

const ownValue = (record: Raw, name: string): unknown => (Object.hasOwn(record, name) ? record[name] : undefined)
