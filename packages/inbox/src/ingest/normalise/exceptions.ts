import { MAX_STACK_FRAMES } from '@hull/common/constants.ts'
import { FILTERED, isSecretName } from '@hull/common/secrets.ts'
import { asList, asObject, clean, toDisplay, toPlace, toText, toTexts, type Raw } from '../fields.ts'
import {
  UNKNOWN_FILE,
  type ExceptionDetail,
  type Frame,
  type Side,
  type SourceLines,
  type ThreadDetail
} from '../../store/model.ts'

/** Maximum characters; Relay has the same limit for a value. */
const MAX_TYPE = 200
const MAX_VALUE = 8_192

/** Maximum exceptions in a chain of causes: the reported one and its closest causes. A guess. */
const MAX_EXCEPTIONS = 10

/** Maximum threads whose stacks are stored. A guess: enough for the pool of a service. */
const MAX_THREADS = 20

/** Returns the chain of exceptions of an event in any version of the protocol. */
export function toExceptions(event: Raw, marks: Marks): ExceptionDetail[] {
  const sent = listExceptions(event).slice(-MAX_EXCEPTIONS)
  const exceptions = sent.map((exception) => toException(asObject(exception), marks))
  const last = exceptions.at(-1)
  if (last && last.frames.length === 0)
    last.frames = toFrames(findThread(event)?.stacktrace ?? eventStack(event), marks)
  const member = findOnlyMember(sent.map((exception) => asObject(asObject(exception).mechanism)))
  if (exceptions[member]?.frames.length) exceptions[member].isOnlyMember = true
  return exceptions
}

const listExceptions = (event: Raw): unknown[] => asList(event.exception ?? event['sentry.interfaces.Exception'])

/** Returns the position of the only member of the reported group of exceptions, which may be a group itself; else -1. */
function findOnlyMember(mechanisms: readonly Raw[]): number {
  let at = mechanisms.length - 1
  while (mechanisms[at]?.is_exception_group === true) {
    const { exception_id: id } = mechanisms[at]!
    const members = mechanisms.filter(
      (mechanism, index) => index < at && mechanism.parent_id === id && isMember(mechanism)
    )
    if (members.length !== 1) return -1
    at = mechanisms.indexOf(members[0]!)
  }
  return at === mechanisms.length - 1 ? -1 : at
}

/** Whether an exception comes from a list of its group: `exceptions[0]` in Python, `errors[0]` in JavaScript. */
const isMember = ({ source }: Raw): boolean => typeof source === 'string' && source.endsWith(']')

function toException(exception: Raw, marks: Marks): ExceptionDetail {
  const mechanism = asObject(exception.mechanism)
  const kind = toText(mechanism.type, MAX_TYPE)
  const sent = toText(exception.type, MAX_TYPE) ?? toText(exception.module, MAX_TYPE) ?? ''
  const value = toDisplay(exception.value ?? '', MAX_VALUE)
  // If an SDK makes an error from a message, its type is Error and says nothing.
  const isMadeUp = value !== '' && (sent === '' || (mechanism.synthetic === true && sent === 'Error'))
  return {
    type: isMadeUp ? '' : sent.split('\n', 1)[0]! || 'Error',
    value,
    ...(typeof mechanism.handled === 'boolean' && { handled: mechanism.handled }),
    ...(kind !== undefined && kind !== 'generic' && { mechanism: kind }),
    ...(isMember(mechanism) && { isMember: true }),
    frames: toFrames(exception.stacktrace ?? exception.raw_stacktrace, marks)
  }
}

/**
 * Returns the stacks of an event's threads, crashed thread first, without the thread whose stack an exception shows.
 */
export function toThreads(event: Raw, exceptions: readonly ExceptionDetail[], marks: Marks): ThreadDetail[] {
  const shown = exceptions.length > 0 ? findThread(event) : undefined
  const sent = asList(event.threads).map(asObject).slice(0, MAX_THREADS)
  const threads = sent
    .filter((thread) => thread !== shown)
    .map((thread) => toThread(thread, marks))
    .filter(({ frames }) => frames.length > 0)
    .sort((a, b) => rankOf(b) - rankOf(a))
  if (threads.length > 0 || exceptions.length > 0) return threads
  const frames = toFrames(eventStack(event), marks)
  return frames.length > 0 ? [{ name: '', isCrashed: false, isCurrent: true, frames }] : []
}

function toThread(thread: Raw, marks: Marks): ThreadDetail {
  return {
    name: toText(thread.name, MAX_TYPE) ?? toText(thread.id, MAX_TYPE) ?? '',
    isCrashed: thread.crashed === true,
    isCurrent: thread.current === true,
    frames: toFrames(thread.stacktrace, marks)
  }
}

const rankOf = ({ isCrashed, isCurrent }: ThreadDetail): number => 2 * Number(isCrashed) + Number(isCurrent)

/** Returns the thread in which an exception without its own stack was thrown. */
function findThread(event: Raw): Raw | undefined {
  const threads = asList(event.threads).map(asObject)
  return threads.find(({ crashed }) => crashed === true) ?? threads.find(({ current }) => current === true)
}

const eventStack = (event: Raw): unknown => event.stacktrace ?? event['sentry.interfaces.Stacktrace']

/** Maximum characters. */
const MAX_FILE = 1_024
const MAX_FUNCTION = 300
const MAX_LINE = 400

/** Limits for the local variables of a frame. SDKs send a few dozen, each truncated to some hundred characters. */
const VARIABLES = { entries: 50, name: 100, value: 512 }

/** Lines before and after a frame's line; SDKs send five. */
const LINES_AROUND = 5

/** How the frames of an event are marked as own code. */
interface Marks {
  side: Side
  /** Whether at least one is, so that those without a mark are not. */
  hasOwn: boolean
}

/** SDKs of Java know the packages of own code from their settings, and mark no others. */
export function marksOf(event: Raw, side: Side): Marks {
  const holders = [...listExceptions(event), ...asList(event.threads)].map(asObject)
  const stacks = [...holders.map(({ stacktrace }) => stacktrace), eventStack(event)]
  return { side, hasOwn: stacks.some((stack) => framesOf(stack).some((frame) => asObject(frame).in_app === true)) }
}

const framesOf = (stack: unknown): unknown[] => (Array.isArray(stack) ? stack : asList(asObject(stack).frames))

/** Files that are never own code: of the runtime, the browser and its extensions. */
const FOREIGN =
  /^(?:node:|internal\/|native\b|<anonymous>|\[native code\]|(?:chrome|moz|safari(?:-web)?|ms-browser)-extension:)/

/**
 * Returns the frames of a stack, innermost first; SDKs send them in the reverse order. If there are too many, keeps the
 * innermost half, where the error occurred, and the outermost half, where the call began.
 */
function toFrames(stack: unknown, marks: Marks): Frame[] {
  const sent = framesOf(stack)
  const half = MAX_STACK_FRAMES / 2
  const kept = sent.length > MAX_STACK_FRAMES ? [...sent.slice(0, half), ...sent.slice(-half)] : sent
  return kept.reverse().map((frame) => toFrame(frame, marks))
}

/** A source file of Java, Kotlin, Scala, Groovy or Clojure without its folder. */
const JVM_FILE = /^[^/\\]+\.(?:java|kt|scala|groovy|clj)$/

/** Returns a frame's file. SDKs of Java name it without its folder, which is the package of the class. */
function toFile({ filename, abs_path: path, module }: Raw): string {
  const name = toText(module, MAX_FILE)
  const file = toText(filename, MAX_FILE) ?? toText(path, MAX_FILE) ?? name ?? UNKNOWN_FILE
  if (name === undefined || !JVM_FILE.test(file)) return file
  return [...name.split('.').slice(0, -1), file].join('/')
}

function toFrame(sent: unknown, marks: Marks): Frame {
  const frame = asObject(sent)
  const file = toFile(frame)
  const name = toText(frame.function, MAX_FUNCTION)
  const line = toPlace(frame.lineno)
  const column = toPlace(frame.colno)
  const source = toSource(frame)
  const library = packageOf(file)
  const variables = toVariables(frame.vars)
  const built = toBuilt(frame.data)
  return {
    file,
    ...(name !== undefined && name !== '?' && { function: name }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    inApp: isOwn(frame.in_app, file, marks) && library === undefined,
    ...(library !== undefined && { package: library }),
    ...(source && { source }),
    ...(variables && { variables }),
    ...(built && { built })
  }
}

/** Returns the position in the built file, of a frame to which another inbox or Sentry has applied a source map. */
function toBuilt(data: unknown): Frame['built'] {
  const { symbolicated, orig_filename, orig_lineno, orig_colno, orig_function } = asObject(data)
  const file = symbolicated === true ? toText(orig_filename, MAX_FILE) : undefined
  if (file === undefined) return undefined
  const line = toPlace(orig_lineno)
  const column = toPlace(orig_colno)
  const name = toText(orig_function, MAX_FUNCTION)
  return {
    file,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(name !== undefined && { function: name })
  }
}

function toVariables(sent: unknown): Record<string, string> | undefined {
  const variables = Object.entries(toTexts(sent, VARIABLES))
  if (variables.length === 0) return undefined
  return Object.fromEntries(variables.map(([name, value]) => [name, isSecretName(name) ? FILTERED : value]))
}

/**
 * Files and classes of the platform and of common frameworks. SDKs of Java that do not know the packages of own code mark
 * no frame, and leave this to the server.
 */
const JVM_LIBRARY =
  /^(?:androidx?|clojure|com[/.](?:android|fasterxml|sun|zaxxer)|dalvik|groovy|io[/.](?:micrometer|netty|reactivex)|jakarta|javax?|jdk|kotlinx?|libcore|org[/.](?:apache|codehaus|eclipse|hibernate|jboss|jetbrains|springframework)|reactor|scala|sun)(?:\/.*\.(?:java|kt|scala|groovy|clj)|(?:\.[\w$]+){2,})$/

/** SDKs in browsers mark all frames as own code. Those of servers know it, whatever a folder is called. */
function isOwn(mark: unknown, file: string, { side, hasOwn }: Marks): boolean {
  if (typeof mark === 'boolean') return mark && (side === 'server' || !FOREIGN.test(file))
  return !hasOwn && !FOREIGN.test(file) && !JVM_LIBRARY.test(file)
}

/** Returns the innermost package in a path. */
export function packageOf(file: string): string | undefined {
  const at = file.lastIndexOf('node_modules/')
  if (at === -1) return undefined
  return /^(?:@[^/]{1,100}\/)?[^/?]{1,100}/.exec(file.slice(at + 'node_modules/'.length))?.[0]
}

function toSource({
  context_line: line,
  pre_context: before,
  post_context: after
}: Record<string, unknown>): SourceLines | undefined {
  if (typeof line !== 'string') return undefined
  return {
    before: toLines(before).slice(-LINES_AROUND),
    line: toLine(line),
    after: toLines(after).slice(0, LINES_AROUND)
  }
}

const toLines = (lines: unknown): string[] =>
  (Array.isArray(lines) ? lines.slice(0, 50) : []).map((line) => (typeof line === 'string' ? toLine(line) : ''))

/** Removes the line break that the SDK of Ruby leaves at the end of a line. */
const toLine = (line: string): string => clean(line.replace(/\r?\n$/, ''), MAX_LINE)

/** Format of Chromium and Node: `    at Card (https://host/assets/a.js:1:20)`. */
const CHROMIUM = /^\s*at (?:(.{1,300}?) \()?([^()]{1,1024}?):(\d{1,9}):(\d{1,9})\)?$/
/** Format of Firefox and Safari: `Card@https://host/assets/a.js:1:20`. */
const GECKO = /^([^@]{0,300})@(.{1,1024}?):(\d{1,9}):(\d{1,9})$/
/** Format without a position: `    at div`, and `    in Card (created by Page)` of older versions of React. */
const PLAIN = /^\s*(?:at|in) ([^\s(]{1,300})/

/** Parses React's component stack, innermost component first. */
export function toComponents(stack: unknown): Frame[] {
  if (typeof stack !== 'string') return []
  const frames: Frame[] = []
  for (const text of stack.slice(0, 64 * 1024).split('\n')) {
    if (frames.length === MAX_STACK_FRAMES) break
    const frame = toComponent(clean(text, 2_048))
    if (frame) frames.push(frame)
  }
  return frames
}

function toComponent(text: string): Frame | undefined {
  const [, name, file, line, column] = CHROMIUM.exec(text) ?? GECKO.exec(text) ?? []
  if (file !== undefined) {
    const library = packageOf(file)
    return {
      file,
      ...(name && { function: name }),
      line: Number(line),
      column: Number(column),
      inApp: library === undefined,
      ...(library !== undefined && { package: library })
    }
  }
  const plain = PLAIN.exec(text)?.[1]
  // HTML elements are not own components.
  return plain === undefined ? undefined : { file: '', function: plain, inApp: /^[A-Z]/.test(plain) }
}
