import { errorTitle, mainException, ownMessage } from '../error-title.ts'
import { countOf, formatTime } from '../components/shared/format.ts'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import type { Breadcrumb, EventDetail, ExceptionDetail, Frame, ThreadDetail } from '../../store/model.ts'
import type { EventView } from '../../queries/issues/event-types.ts'
import type { IssueDetail } from '../../queries/issues/issue-types.ts'

/** Maximum breadcrumbs to list, the last ones. */
const MAX_STEPS = 20

/** Maximum consecutive library frames to list one by one. */
const MAX_LIBRARY_FRAMES = 3

const MAX_LENGTH = 2_000

/** Maximum values of a list, and characters of a value. Guesses. */
const MAX_VALUES = 50
const MAX_VALUE = 300

const PAYLOAD_MISSING = 'The payload of this event was not stored.'

const EVENTS_DELETED = 'The events of this issue were deleted to free space.'

/**
 * An issue and one of its events as Markdown, to paste into a ticket or give to an assistant.
 * @param event undefined if all of them were deleted
 * @param href address of the issue
 * @param options `isWhole`: with contexts, extra values and local variables, for an assistant. A ticket may be public.
 */
export function toMarkdown(
  issue: IssueDetail,
  event: EventView | undefined,
  href: string,
  { isWhole = false }: { isWhole?: boolean } = {}
): string {
  const address = event ? `${href}?event=${event.row.eventId}` : href
  const parts = [`# ${line(errorTitle(issue))}`, '', `<${address}>`, '', ...facts(issue)]
  const detail = event?.detail
  if (!detail) return [...parts, '', event ? PAYLOAD_MISSING : EVENTS_DELETED, ''].join('\n')
  parts.push('', '## Event', '', ...eventFacts(detail, event.row))
  const message = ownMessage(detail)
  if (message) parts.push('', '## Message', '', ...fence(clip(toVisibleText(message), MAX_LENGTH)))
  const stacks = [
    ...detail.exceptions.toReversed().flatMap(writeException),
    ...(detail.threads ?? []).flatMap(writeThread)
  ]
  if (stacks.length > 0) parts.push('', '## Stack', '', ...fence(stacks.join('\n')))
  const steps = detail.breadcrumbs.slice(-MAX_STEPS)
  if (steps.length > 0)
    parts.push('', '## Breadcrumbs', '', ...fence(steps.map((step) => writeStep(step, detail.at)).join('\n')))
  const { request } = detail
  if (request?.url || request?.method)
    parts.push(
      '',
      '## Request',
      '',
      ...fence(text([request.method, request.url, request.query].filter(Boolean).join(' ')))
    )
  if (detail.tags.length > 0)
    parts.push('', '## Tags', '', ...detail.tags.map(([name, value]) => `- ${line(name)}: ${code(value)}`))
  if (isWhole) parts.push(...writeData(detail))
  return `${parts.join('\n')}\n`
}

function writeData({ exceptions, contexts, extra }: EventDetail): string[] {
  const frame = mainException(exceptions)?.frames.find(({ inApp }) => inApp)
  const ofContexts = Object.entries(contexts).flatMap(([name, values]) =>
    Object.entries(values).map(([key, value]) => [`${name}.${key}`, value] as const)
  )
  return [
    ...writeValues('Local variables', Object.entries(frame?.variables ?? {})),
    ...writeValues('Contexts', ofContexts),
    ...writeValues('Extra', Object.entries(extra))
  ]
}

const writeValues = (title: string, values: readonly (readonly [string, string])[]): string[] =>
  values.length === 0
    ? []
    : [
        '',
        `## ${title}`,
        '',
        ...values.slice(0, MAX_VALUES).map(([name, value]) => `- ${line(name)}: ${code(clip(value, MAX_VALUE))}`)
      ]

function facts(issue: IssueDetail): string[] {
  const { culprit, state, events, visitors, firstSeen, lastSeen, firstRelease, lastRelease, assignee } = issue
  return [
    ...(culprit ? [`- Where: ${code(culprit)}`] : []),
    `- State: ${state}; ${countOf(events, 'event')}, ${countOf(visitors, 'visitor')}`,
    ...(assignee ? [`- Assigned to: ${line(assignee.name)}`] : []),
    `- First seen: ${formatTime(firstSeen, 'UTC')}${firstRelease ? ` in ${code(firstRelease)}` : ''}`,
    `- Last seen: ${formatTime(lastSeen, 'UTC')}${lastRelease ? `; newest release ${code(lastRelease)}` : ''}`
  ]
}

function eventFacts(detail: EventDetail, { eventId }: EventView['row']): string[] {
  const facts: Array<[string, string | undefined]> = [
    ['Id', eventId],
    ['Time', formatTime(detail.at, 'UTC')],
    ['Side', detail.side],
    ['Release', detail.release],
    ['Environment', detail.environment],
    ['Route', detail.route],
    ['URL', detail.url],
    ['Browser', detail.browser],
    ['System', detail.os],
    ['Trace', detail.traceId],
    ['Digest', detail.digest]
  ]
  return facts.flatMap(([name, value]) => (value ? [`- ${name}: ${code(value)}`] : []))
}

function writeException({ type, value, isMember, frames }: ExceptionDetail, i: number): string[] {
  const relation = i === 0 ? '' : `\n${isMember ? 'One of its errors' : 'Caused by'}: `
  return [`${relation}${text(errorTitle({ type, value }))}`, ...writeFrames(frames)]
}

const writeThread = ({ name, isCrashed, frames }: ThreadDetail): string[] => [
  `Thread ${text(name)}${isCrashed ? ' (crashed)' : ''}`.trim(),
  ...writeFrames(frames)
]

function writeFrames(frames: Frame[]): string[] {
  const lines: string[] = []
  let folded: Frame[] = []
  const unfold = () => {
    if (folded.length <= MAX_LIBRARY_FRAMES) lines.push(...folded.map(writePlace))
    else
      lines.push(
        `    … ${folded.length} frames in ${[...new Set(folded.map((frame) => text(frame.package ?? 'a library')))].join(', ')}`
      )
    folded = []
  }
  for (const frame of frames) {
    if (frame.inApp) {
      unfold()
      lines.push(writePlace(frame), ...writeSource(frame))
    } else folded.push(frame)
  }
  unfold()
  return lines
}

const writePlace = ({ function: name, file, line, column }: Frame) =>
  `    at ${text(name ?? '(anonymous)')} (${text(file)}${line === undefined ? '' : `:${line}`}${column === undefined ? '' : `:${column}`})`

function writeSource({ source, line = 1, column }: Frame): string[] {
  if (!source) return []
  const before = source.before.slice(-3)
  const lines = [...before, source.line, ...source.after.slice(0, 3)]
  const width = String(line + 3).length
  return lines.flatMap((content, i) => {
    const isFailing = i === before.length
    const number = String(line - before.length + i).padStart(width)
    const written = `      ${isFailing ? '>' : ' '} ${number} | ${clip(toVisibleText(content), 200)}`
    const isMarked = isFailing && column !== undefined && column >= 1 && column <= 200
    return isMarked ? [written, `${' '.repeat(9 + width)}| ${' '.repeat(column - 1)}^`] : [written]
  })
}

function writeStep({ at, category, type, message, data }: Breadcrumb, error: number): string {
  const when = at === undefined ? '' : `${((at - error) / 1_000).toFixed(1)} s  `
  const pairs = Object.entries(data).map(([name, value]) => `${name}=${value}`)
  return text(`${when}${category || type}  ${[message, ...pairs].filter(Boolean).join(' ')}`)
}

/** One line of text without any Markdown syntax. */
export const line = (value: string, max = MAX_LENGTH): string => text(value, max).replace(/[\\`*_{}[\]<>#|~]/g, '\\$&')

const text = (value: string, max = MAX_LENGTH) => clip(toVisibleText(value).replace(/\s+/g, ' ').trim(), max)

/** Code span with as many backquotes as necessary (CommonMark, code spans). */
function code(value: string): string {
  const content = text(value)
  const ticks = '`'.repeat(longestRun(content) + 1)
  return ticks.length === 1 ? `\`${content}\`` : `${ticks} ${content} ${ticks}`
}

function fence(content: string): string[] {
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1))
  return [`${ticks}text`, content, ticks]
}

/** Not Math.max with a spread: a content may have more runs than a call may have arguments. */
const longestRun = (content: string) =>
  content.match(/`+/g)?.reduce((longest, { length }) => Math.max(longest, length), 0) ?? 0
