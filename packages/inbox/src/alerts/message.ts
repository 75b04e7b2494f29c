import { randomUUID } from 'node:crypto'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import type { Project } from '../store/model.ts'
import { findComment } from '../store/issue-activity.ts'
import { findProject } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import { toBoundText, toFigureText } from '../web/alert-words.ts'
import { errorTitle } from '../web/error-title.ts'
import { totalOf, type Draft, type DraftItem } from './draft.ts'
import { ALERT_KINDS, type AlertChange, type AlertKind, type AlertMessage, type ThresholdKind } from './types.ts'

/** Maximum characters of a title in a message. */
const MAX_TITLE = 200

/** Name of a change, and nouns for one and for several. */
const WORDS: Record<AlertKind, [name: string, one: string, many: string]> = {
  new: ['New issue', 'new issue', 'new issues'],
  regressed: ['Regressed', 'regressed issue', 'regressed issues'],
  reopened: ['Back from ignored', 'issue back from ignored', 'issues back from ignored'],
  'monitor-failed': ['Monitor failed', 'failed monitor', 'failed monitors'],
  'monitor-recovered': ['Monitor recovered', 'recovered monitor', 'recovered monitors'],
  feedback: ['Feedback', 'message of feedback', 'messages of feedback'],
  spike: ['Spike', 'spike', 'spikes'],
  'spike-ended': ['Spike ended', 'ended spike', 'ended spikes'],
  'crash-free-low': ['Crash-free sessions low', 'low rate of crash-free sessions', 'low rates of crash-free sessions'],
  'crash-free-recovered': [
    'Crash-free sessions recovered',
    'recovered rate of crash-free sessions',
    'recovered rates of crash-free sessions'
  ],
  'vital-poor': ['poor', 'poor web vital', 'poor web vitals'],
  'vital-recovered': ['recovered', 'recovered web vital', 'recovered web vitals'],
  mentioned: ['mentioned you', 'mention', 'mentions'],
  commented: ['commented', 'comment', 'comments'],
  assigned: ['assigned', 'assigned issue', 'assigned issues'],
  resolved: ['resolved', 'resolved issue', 'resolved issues'],
  ignored: ['ignored', 'ignored issue', 'ignored issues'],
  unresolved: ['reopened', 'reopened issue', 'reopened issues']
}

/** The event, by the last result of a monitor. */
const RESULTS: Partial<Record<string, string>> = {
  error: ' reported an error',
  missed: ' missed its check-in',
  timeout: ' runs too long'
}

interface IssueRow {
  id: number
  type: string
  value: string
  culprit: string
}

/** Creates the message of a draft. @returns undefined if the project was removed, or all that changed */
export function createMessage(
  store: Store,
  draft: Draft,
  now: number,
  baseUrl: string | undefined
): AlertMessage | undefined {
  const { project: id } = draft
  const project = findProject(store, id)
  if (!project) return undefined
  const counts = { ...draft.counts }
  const changes = draft.items.flatMap((item) => {
    const found = toChange(store, id, item, baseUrl)
    if (found.length === 0 && --counts[item.kind]! === 0) delete counts[item.kind]
    return found
  })
  const total = totalOf(counts)
  if (total === 0) return undefined
  const [first] = changes
  const title = total === 1 && first ? first.text : toSummary(counts)
  return {
    ...toHead('alert', project, title, now),
    total,
    counts,
    changes,
    ...toUrl(baseUrl, `${listOf(counts)}?project=${id}`)
  }
}

/** The link to a page of the inbox, if its address is known. */
const toUrl = (baseUrl: string | undefined, page: string) =>
  baseUrl === undefined ? {} : { url: `${baseUrl}/inbox/${page}` }

/** Name of the list that has the changes of a message. */
export function listOf(counts: AlertMessage['counts']): 'issues' | 'monitors' | 'feedback' {
  const kinds = Object.keys(counts)
  if (kinds.length === 0) return 'issues'
  if (kinds.every((kind) => kind === 'feedback')) return 'feedback'
  return kinds.every((kind) => kind.startsWith('monitor-')) ? 'monitors' : 'issues'
}

/** Creates the message that the test button sends. */
export function createTestMessage(project: Project, now: number, baseUrl: string | undefined): AlertMessage {
  const text = 'Test: alerts of this inbox arrive here'
  const head = toHead('test', project, text, now)
  return { ...head, ...toOnly('test', text, head), ...toUrl(baseUrl, `issues?project=${project.id}`) }
}

/** Creates the mail with the code that confirms a person's address. */
export function createCodeMessage(project: Project, code: string, now: number, baseUrl: string | undefined) {
  const where = baseUrl === undefined ? 'your account page of the inbox' : `${baseUrl}/inbox/account`
  const text = `Enter the code ${code} on ${where}. If you did not ask for mails of the inbox, ignore this one.`
  const head = toHead('code', project, '', now)
  return { ...head, title: `${code} is your code for mails of the inbox`, ...toOnly('code', text, head) }
}

/** The content of a message that a person caused. */
const toOnly = (kind: 'test' | 'code', text: string, { timestamp: at }: Pick<AlertMessage, 'timestamp'>) => ({
  total: 1,
  counts: {},
  changes: [{ kind, at, text }]
})

const toHead = (type: AlertMessage['type'], { id, name }: Project, title: string, now: number) => ({
  id: `msg_${randomUUID()}`,
  type,
  timestamp: new Date(now).toISOString(),
  project: { id, name },
  title: `[${name}] ${title}`
})

const findIssue = (store: Store, id: number | undefined): IssueRow | undefined =>
  id === undefined ? undefined : store.get<IssueRow>('SELECT id, type, value, culprit FROM issue WHERE id = ?', id)

function toChange(store: Store, project: number, item: DraftItem, baseUrl: string | undefined): AlertChange[] {
  const { kind, at, issue, monitor, feedback, threshold, comment } = item
  if (monitor !== undefined) return toMonitorChange(store, { kind, at, monitor }, baseUrl)
  if (feedback !== undefined) return toFeedbackChange(store, project, { kind, at, feedback }, baseUrl)
  if (threshold) return [toThresholdChange(store, project, { kind, at, threshold }, baseUrl)]
  const row = findIssue(store, issue)
  // The issue was deleted or merged in the meantime, or the comment was deleted.
  if (!row || (comment !== undefined && findComment(store, comment) === undefined)) return []
  const title = toTitle(errorTitle(row))
  return [
    {
      kind,
      at: new Date(at).toISOString(),
      text: `${toHeading(item)}: ${title}`,
      ...(item.environment !== undefined && { environment: toTitle(item.environment) }),
      ...(comment !== undefined && { commentId: comment }),
      issue: {
        id: row.id,
        title,
        culprit: toTitle(row.culprit),
        ...toUrl(baseUrl, `issues/${row.id}`)
      }
    }
  ]
}

/**
 * Adds the texts of comments as they are now, and leaves out comments that were deleted while the message waited.
 * @returns undefined if nothing is left
 */
export function addComments(store: Store, message: AlertMessage): AlertMessage | undefined {
  const changes = message.changes.flatMap(({ commentId, ...change }) => {
    if (commentId === undefined) return [change]
    const comment = findComment(store, commentId)
    return comment === undefined ? [] : [{ ...change, comment }]
  })
  const total = message.total - (message.changes.length - changes.length)
  return total === 0 ? undefined : { ...message, total, changes }
}

/** `New issue`, for some environments `New issue in production`, or by a person `Ada commented`. */
function toHeading({ kind, by, detail, environment }: DraftItem): string {
  if (by === undefined) return WORDS[kind][0] + (environment === undefined ? '' : ` in ${toTitle(environment)}`)
  return `${by} ${WORDS[kind][0]}${kind === 'assigned' ? ` to ${detail ?? 'nobody'}` : ''}`
}

function toMonitorChange(
  store: Store,
  { kind, at, monitor }: { kind: AlertKind; at: number; monitor: number },
  baseUrl: string | undefined
): AlertChange[] {
  const row = store.get<{ slug: string; environment: string; status: string }>(
    'SELECT slug, environment, status FROM monitor WHERE id = ?',
    monitor
  )
  // The monitor was deleted in the meantime.
  if (!row) return []
  const [name, environment] = [toTitle(row.slug), toTitle(row.environment)]
  const result = kind === 'monitor-failed' ? (RESULTS[row.status] ?? '') : ''
  return [
    {
      kind,
      at: new Date(at).toISOString(),
      text: `${WORDS[kind][0]}: ${name}${environment === '' ? '' : ` in ${environment}`}${result}`,
      monitor: {
        id: monitor,
        name,
        environment,
        ...toUrl(baseUrl, `monitors/${monitor}`)
      }
    }
  ]
}

function toFeedbackChange(
  store: Store,
  project: number,
  { kind, at, feedback }: { kind: AlertKind; at: number; feedback: number },
  baseUrl: string | undefined
): AlertChange[] {
  const row = store.get<{ message: string; name: string | null; email: string | null }>(
    'SELECT message, name, email FROM feedback WHERE id = ?',
    feedback
  )
  // It was deleted in the meantime.
  if (!row) return []
  const { message, name, email } = row
  const heading = name === null ? WORDS[kind][0] : `${WORDS[kind][0]} from ${toTitle(name)}`
  return [
    {
      kind,
      at: new Date(at).toISOString(),
      text: `${heading}: ${toTitle(message)}`,
      feedback: {
        id: feedback,
        message,
        ...(name !== null && { name }),
        ...(email !== null && { email }),
        ...toUrl(baseUrl, `feedback?project=${project}`)
      }
    }
  ]
}

/** Screens of the figures of thresholds. */
const SCREENS: Record<ThresholdKind, string> = { spike: 'issues', 'crash-free': 'releases', vital: 'vitals' }

function toThresholdChange(
  store: Store,
  project: number,
  { kind, at, threshold: item }: Pick<DraftItem, 'kind' | 'at'> & Required<Pick<DraftItem, 'threshold'>>,
  baseUrl: string | undefined
): AlertChange {
  const { since: _since, ...threshold } = item
  const row = findIssue(store, threshold.issue)
  const name = [...(threshold.vital ? [threshold.vital] : []), WORDS[kind][0]].join(' ')
  const of = row ? ` of ${toTitle(errorTitle(row))}` : ''
  const where = threshold.environment === undefined ? '' : ` in ${toTitle(threshold.environment)}`
  const screen = row ? `issues/${row.id}` : `${SCREENS[threshold.kind]}?project=${project}`
  return {
    kind,
    at: new Date(at).toISOString(),
    text: `${name}${of}${where}: ${toFigureText(item, item)}. Threshold: ${toBoundText(item)}`,
    threshold: { ...threshold, ...toUrl(baseUrl, screen) }
  }
}

/** Counts in words, such as `10,000 new issues, 2 regressed issues`. */
const toSummary = (counts: Draft['counts']): string =>
  ALERT_KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0
    const [, one, many] = WORDS[kind]
    if (count === 0) return []
    return count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`
  }).join(', ')

/** Returns the first line, without control characters. Other invisible characters are named, as on the screens. */
const toTitle = (text: string): string =>
  clip(
    toVisibleText(
      text
        .split('\n', 1)[0]!
        .replace(/\p{Cc}/gu, ' ')
        .trim()
    ),
    MAX_TITLE
  ).toWellFormed()
