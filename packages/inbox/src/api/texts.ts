import type { z } from 'zod'
import { countOf, formatUpTo } from '../web/components/shared/format.ts'
import { line as toLine } from '../web/view-models/markdown.ts'
import { MAX_COUNT } from '../web/view.ts'
import type { Issue } from './operations/issues.ts'
import type { Release } from './operations/releases.ts'
import type { Trace, TraceWithSpans } from './operations/traces.ts'

/* Results of the API as Markdown, for assistants. */

type Of<Schema extends z.ZodType> = z.input<Schema>

/** Maximum characters of a name or title. */
const MAX_LENGTH = 300

/** Maximum spans in the text of a trace. */
const MAX_SPANS = 200

export function writeIssues(output: unknown): string {
  const { issues, total, next } = output as { issues: Of<typeof Issue>[]; total: number; next?: string }
  if (issues.length === 0) return 'No issue matches.'
  const lines = issues.map(
    ({ id, title, culprit, state, isNew, eventsInRange, visitors, lastSeen, lastRelease, url }) =>
      `- #${id} [${line(title)}](${url})${culprit ? ` at ${line(culprit)}` : ''}: ${isNew ? 'new' : state}, ${countOf(eventsInRange, 'event')} in the range, ${countOf(visitors, 'visitor')}, last ${lastSeen}${lastRelease ? `; newest release ${line(lastRelease)}` : ''}`
  )
  return [`${formatUpTo(total, MAX_COUNT)} ${total === 1 ? 'issue' : 'issues'}.`, '', ...lines, ...more(next)].join(
    '\n'
  )
}

export function writeTraces(output: unknown): string {
  const { traces, next } = output as { traces: Of<typeof Trace>[]; next?: string }
  if (traces.length === 0) return 'No trace matches.'
  const lines = traces.map(
    ({ traceId, name, side, at, duration, status }) =>
      `- ${traceId}: ${line(name)} (${side}), ${at}, ${duration.toFixed(1)} ms, ${status}`
  )
  return [...lines, ...more(next)].join('\n')
}

export function writeTrace(output: unknown): string {
  const { traceId, at, duration, spans, omitted, errors, logs } = output as Of<typeof TraceWithSpans>
  const shown = spans.slice(0, MAX_SPANS)
  const hidden = spans.length - shown.length + omitted
  const parts = [
    `# Trace ${traceId}`,
    '',
    `${at}, ${duration.toFixed(1)} ms. Each line: start, duration, name, operation.`,
    '',
    ...shown.map(
      ({ depth, side, name, op, status, offset, duration }) =>
        `${'  '.repeat(depth)}- ${offset.toFixed(1)} ms, ${duration.toFixed(1)} ms: ${line(name)} (${line(op)}, ${side}${status === 'ok' ? '' : `, ${status}`})`
    ),
    ...(hidden > 0 ? ['', `${countOf(hidden, 'more span is', 'more spans are')} not listed.`] : [])
  ]
  if (errors.length > 0)
    parts.push('', '## Errors', '', ...errors.map(({ issue, title, at }) => `- ${at}: issue #${issue}, ${line(title)}`))
  if (logs.length > 0)
    parts.push('', '## Logs', '', ...logs.map(({ at, level, body }) => `- ${at} ${line(level)}: ${line(body)}`))
  return parts.join('\n')
}

export function writeReleases(output: unknown): string {
  const { releases } = output as { releases: Of<typeof Release>[] }
  if (releases.length === 0) return 'No release was seen.'
  return releases
    .map(
      ({ version, project, firstSeen, newIssues, regressions, errors, sessions, crashFree }) =>
        `- ${line(version)} of project ${project}, since ${firstSeen}: ${countOf(newIssues, 'new issue')}, ${countOf(regressions, 'regression')}, ${countOf(errors, 'error')} in the range${crashFree === undefined ? '' : `, ${(crashFree * 100).toFixed(2)} % of ${countOf(sessions, 'session')} without a crash`}`
    )
    .join('\n')
}

const more = (next: string | undefined) => (next === undefined ? [] : ['', `More: call again with cursor ${next}`])

const line = (value: string) => toLine(value, MAX_LENGTH)
