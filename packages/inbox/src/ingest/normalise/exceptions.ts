import type { ExceptionDetail, Side, ThreadDetail } from '../../store/model.ts'
import { toFrames } from './stack.ts'
import { asList, asObject, toDisplay, toText, type Raw } from './text.ts'

/** Characters; Relay keeps 8192 of a value as well. */
const MAX_TYPE = 200
const MAX_VALUE = 8_192

/** Errors in a chain of causes: the one that was reported, and those closest to it. A guess. */
const MAX_EXCEPTIONS = 10

/** Threads whose stacks are kept. A guess: enough for the pool of a service. */
const MAX_THREADS = 20

/** The chain of errors of an event, of any age of the protocol. */
export function toExceptions(event: Raw, side: Side): ExceptionDetail[] {
  const sent = asList(event.exception ?? event['sentry.interfaces.Exception']).slice(-MAX_EXCEPTIONS)
  const exceptions = sent.map((exception) => toException(asObject(exception), side))
  const last = exceptions.at(-1)
  if (last && last.frames.length === 0) last.frames = toFrames(findThread(event)?.stacktrace ?? eventStack(event), side)
  return exceptions
}

function toException(exception: Raw, side: Side): ExceptionDetail {
  const mechanism = asObject(exception.mechanism)
  const kind = toText(mechanism.type, MAX_TYPE)
  const sent = toText(exception.type, MAX_TYPE) ?? toText(exception.module, MAX_TYPE) ?? ''
  const value = toDisplay(exception.value ?? '', MAX_VALUE)
  // An SDK that makes an error of a message calls it Error: that name says nothing.
  const isMadeUp = value !== '' && (sent === '' || (mechanism.synthetic === true && sent === 'Error'))
  return {
    type: isMadeUp ? '' : sent.split('\n', 1)[0]! || 'Error',
    value,
    ...(typeof mechanism.handled === 'boolean' && { handled: mechanism.handled }),
    ...(kind !== undefined && kind !== 'generic' && { mechanism: kind }),
    frames: toFrames(exception.stacktrace ?? exception.raw_stacktrace, side)
  }
}

/** The stacks of an event's threads, the one that crashed first; none of one that an exception already shows. */
export function toThreads(event: Raw, exceptions: readonly ExceptionDetail[], side: Side): ThreadDetail[] {
  const shown = exceptions.length > 0 ? findThread(event) : undefined
  const sent = asList(event.threads).map(asObject).slice(0, MAX_THREADS)
  const threads = sent
    .filter((thread) => thread !== shown)
    .map((thread) => toThread(thread, side))
    .filter(({ frames }) => frames.length > 0)
    .sort((a, b) => rankOf(b) - rankOf(a))
  if (threads.length > 0 || exceptions.length > 0) return threads
  const frames = toFrames(eventStack(event), side)
  return frames.length > 0 ? [{ name: '', isCrashed: false, isCurrent: true, frames }] : []
}

function toThread(thread: Raw, side: Side): ThreadDetail {
  return {
    name: toText(thread.name, MAX_TYPE) ?? toText(thread.id, MAX_TYPE) ?? '',
    isCrashed: thread.crashed === true,
    isCurrent: thread.current === true,
    frames: toFrames(thread.stacktrace, side)
  }
}

const rankOf = ({ isCrashed, isCurrent }: ThreadDetail): number => 2 * Number(isCrashed) + Number(isCurrent)

/** The thread that an exception without a stack of its own was thrown in. */
function findThread(event: Raw): Raw | undefined {
  const threads = asList(event.threads).map(asObject)
  return threads.find(({ crashed }) => crashed === true) ?? threads.find(({ current }) => current === true)
}

const eventStack = (event: Raw): unknown => event.stacktrace ?? event['sentry.interfaces.Stacktrace']
