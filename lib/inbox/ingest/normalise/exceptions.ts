import type { ExceptionDetail, Side } from '../../model.ts'
import { toFrames } from './stack.ts'
import { asList, asObject, toDisplay, toText, type Raw } from './text.ts'

/** Characters; Relay keeps 8192 of a value too. */
const MAX_TYPE = 200
const MAX_VALUE = 8_192

/** Errors in a chain of causes: the one that was reported, and those closest to it. A guess. */
const MAX_EXCEPTIONS = 10

/** The chain of errors of an event, of any age of the protocol. */
export function toExceptions(event: Raw, side: Side): ExceptionDetail[] {
  const sent = asList(event.exception ?? event['sentry.interfaces.Exception']).slice(-MAX_EXCEPTIONS)
  const exceptions = sent.map((exception) => toException(asObject(exception), side))
  const last = exceptions.at(-1)
  if (last && last.frames.length === 0) last.frames = toFrames(findStack(event), side)
  return exceptions
}

function toException(exception: Raw, side: Side): ExceptionDetail {
  const mechanism = asObject(exception.mechanism)
  const kind = toText(mechanism.type, MAX_TYPE)
  const type = toText(exception.type, MAX_TYPE) ?? toText(exception.module, MAX_TYPE) ?? 'Error'
  return {
    type: type.split('\n', 1)[0]!,
    value: toDisplay(exception.value ?? '', MAX_VALUE),
    ...(typeof mechanism.handled === 'boolean' && { handled: mechanism.handled }),
    ...(kind !== undefined && kind !== 'generic' && { mechanism: kind }),
    frames: toFrames(exception.stacktrace ?? exception.raw_stacktrace, side)
  }
}

/** Where an error has no stack of its own: of the thread that crashed, or of the whole event. */
function findStack(event: Raw): unknown {
  const threads = asList(event.threads).map(asObject)
  const thread = threads.find(({ crashed }) => crashed === true) ?? threads.find(({ current }) => current === true)
  return thread?.stacktrace ?? event.stacktrace ?? event['sentry.interfaces.Stacktrace']
}

/** What an event says beside its errors, of any age of the protocol. */
export function toMessage(event: Raw): string | undefined {
  for (const told of [event.logentry, event['sentry.interfaces.Message'], event.message]) {
    const { formatted, message } = asObject(told)
    const text = toText(formatted, MAX_VALUE) ?? toText(message, MAX_VALUE) ?? toText(told, MAX_VALUE)
    if (text !== undefined) return text
  }
  return undefined
}
