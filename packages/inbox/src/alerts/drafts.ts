import { MINUTE, SECOND } from '@hull/common/time.ts'
import { getOrInsert } from '../get-or-insert.ts'
import { writeRow } from '../store/rows.ts'
import { readsProject } from '../store/people.ts'
import type { Store } from '../store/store.ts'
import { isQuiet, readChannels } from './channels.ts'
import type { AlertFact } from './facts.ts'
import { readRules } from './rules.ts'
import { totalOf, type Draft, type DraftItem } from './draft.ts'
import { ISSUE_LEVELS, type Level } from '../store/model.ts'
import { isOfIssue, ISSUE_KINDS, MAX_ITEMS, type AlertChannel, type AlertMessage, type RuleKind } from './types.ts'

/** Milliseconds for which a message waits for further changes, so that a burst is one message. A guess. */
const GATHER = SECOND

/**
 * Changes that make a message a flood. A flood waits for the end of its window, at least {@link FLOOD_WINDOW}, and then
 * leaves as one message with the counts. A guess: a person does not read more than these.
 */
const FLOOD = 20
const FLOOD_WINDOW = MINUTE

/** Milliseconds between looks at a draft that quiet hours or an undelivered message hold back. */
const HELD_INTERVAL = 5 * SECOND

/**
 * SQL of drafts to look at now. A clock that was set back must not delay them: a draft that was opened later than now,
 * or that waits for longer than any draft of its channel, is due.
 */
export const DUE_DRAFT = `(check_at <= ?1 OR opened > ?1 OR check_at > ?1 + ${FLOOD_WINDOW} + coalesce(
  (SELECT group_window FROM alert_channel WHERE alert_channel.id = alert_draft.channel), 0))`

/** Facts to read per turn: they take some milliseconds. */
const MAX_FACTS = 5_000

interface DraftRow {
  channel: number
  project: number
  opened: number
  counts: string
  items: string
}

interface FactRow extends Omit<AlertFact, 'environment' | 'isKnownElsewhere'> {
  id: number
  environment: string | null
  isKnownElsewhere: 0 | 1
  /** Level of the issue; null for a monitor and feedback. */
  level: Level | null
}

/** Names the subject of a change. */
function toSubject(kind: RuleKind, id: number): Pick<DraftItem, 'issue' | 'monitor' | 'feedback'> {
  if (kind === 'feedback') return { feedback: id }
  return isOfIssue(kind) ? { issue: id } : { monitor: id }
}

/** Moves facts into the drafts of the channels whose rules name them. */
export function gatherFacts(store: Store, now: number): void {
  const facts = store.all<FactRow>(
    `SELECT f.id, f.project, f.kind, f.subject, f.at, f.environment, f.is_known_elsewhere AS isKnownElsewhere, issue.level
     FROM alert_fact f LEFT JOIN issue ON issue.id = f.subject AND f.kind IN (${ISSUE_KINDS.map((kind) => `'${kind}'`).join()})
     ORDER BY f.id LIMIT ?`,
    MAX_FACTS
  )
  const last = facts.at(-1)
  if (!last) return
  const rules = Map.groupBy(readRules(store), ({ project, kind }) => `${project} ${kind}`)
  const changes = new Map<string, { channel: number; project: number; items: DraftItem[] }>()
  for (const fact of facts) {
    const { project, kind, subject, at, environment, level } = fact
    for (const { channel, environments, level: lowest } of rules.get(`${project} ${kind}`) ?? []) {
      if (level !== null && rankOf(level) < rankOf(lowest)) continue
      if (!isNamed(store, fact, environments)) continue
      const { items } = getOrInsert(changes, `${channel} ${project}`, () => ({ channel, project, items: [] }))
      const of = toSubject(kind, subject)
      const isInNamed = of.issue !== undefined && environments.length > 0 && environment !== null
      items.push({ kind, at, ...of, ...(isInNamed && { environment }) })
    }
  }
  for (const { channel, project, items } of changes.values()) addToDraft(store, { channel, project }, items, now)
  store.write('DELETE FROM alert_fact WHERE id <= ?', last.id)
}

const rankOf = (level: Level): number => ISSUE_LEVELS.indexOf(level)

/** Whether a rule of these environments names the change. */
function isNamed(
  store: Store,
  { subject, environment, isKnownElsewhere }: FactRow,
  environments: readonly string[]
): boolean {
  if (environments.length === 0) return isKnownElsewhere === 0
  // No event made the change: the time until which the issue was ignored has passed.
  if (environment === null) return isSeenIn(store, subject, environments)
  if (!environments.includes(environment)) return false
  const others = environments.filter((name) => name !== environment)
  return isKnownElsewhere === 0 || !isSeenIn(store, subject, others)
}

/** Whether an issue has events of one of the environments. */
const isSeenIn = (store: Store, issue: number, environments: readonly string[]): boolean =>
  store.allIn(
    `SELECT issue FROM issue_tag WHERE issue = ? AND name = 'environment' AND value IN (:keys)`,
    environments,
    issue
  ).length > 0

/**
 * Adds changes to the draft of a channel and a project.
 * @param now milliseconds since the epoch, by the clock of the alert loop
 */
export function addToDraft(
  store: Store,
  { channel, project }: { channel: number; project: number },
  added: readonly DraftItem[],
  now: number
): void {
  const row = store.get<DraftRow>('SELECT * FROM alert_draft WHERE channel = ? AND project = ?', channel, project)
  const draft: Draft = row ? toDraft(row) : { channel, project, opened: now, counts: {}, items: [] }
  for (const { kind } of added) draft.counts[kind] = (draft.counts[kind] ?? 0) + 1
  const items = [...draft.items, ...added].slice(0, MAX_ITEMS)
  const { opened } = draft
  const texts = { counts: JSON.stringify(draft.counts), items: JSON.stringify(items) }
  writeRow(
    store,
    'alert_draft',
    { channel, project, opened, check_at: opened + GATHER, ...texts },
    'ON CONFLICT (channel, project) DO UPDATE SET counts = excluded.counts, items = excluded.items'
  )
}

const toDraft = ({ counts, items, ...row }: DraftRow): Draft => ({
  ...row,
  counts: JSON.parse(counts),
  items: JSON.parse(items)
})

/**
 * Turns drafts whose time has come into messages.
 * @param times.now milliseconds since the epoch, by the clock of the alert loop
 * @param times.wall the same by the machine's clock, which quiet hours mean
 * @param toMessage returns undefined if there is nothing to report
 */
export function closeDrafts(
  store: Store,
  times: { now: number; wall: number },
  toMessage: (draft: Draft) => AlertMessage | undefined
): void {
  const { now } = times
  const rows = store.all<DraftRow>(`SELECT * FROM alert_draft WHERE ${DUE_DRAFT}`, now)
  if (rows.length === 0) return
  const channels = new Map(readChannels(store).map((channel) => [channel.id, channel]))
  for (const row of rows) {
    const draft = { ...toDraft(row), opened: Math.min(row.opened, now) }
    const { channel: id, project, opened } = draft
    const channel = channels.get(id)
    const checkAt = channel && nextCheck(store, draft, channel, times)
    if (checkAt !== undefined && checkAt > now) {
      store.write(
        'UPDATE alert_draft SET opened = ?, check_at = ? WHERE channel = ? AND project = ?',
        opened,
        checkAt,
        id,
        project
      )
      continue
    }
    const message = channel && receives(store, channel, project) && toMessage(draft)
    if (message) addMessage(store, id, message, now)
    store.write('DELETE FROM alert_draft WHERE channel = ? AND project = ?', id, project)
  }
}

/**
 * Not paused by its reader, and if it is a person's own: the address is confirmed, and the person reads the project.
 */
export const receives = (store: Store, { paused, person, code }: AlertChannel, project: number): boolean =>
  paused === undefined && code === undefined && (person === undefined || readsProject(store, person, project))

/** Stores a message to send at once. */
export function addMessage(
  store: Store,
  channel: number,
  message: { id: string; project: { id: number } },
  now: number
) {
  const { id, project } = message
  const row = { id, channel, project: project.id, body: JSON.stringify(message) }
  writeRow(store, 'alert_message', { ...row, state: 'waiting', created: now, attempts: 0, due: now })
}

/** Milliseconds since the epoch when the draft can leave, or when to look again. */
function nextCheck(
  store: Store,
  { project, opened, counts }: Draft,
  channel: AlertChannel,
  { now, wall }: { now: number; wall: number }
): number {
  const { id, groupWindow } = channel
  // The target does not answer: changes gather until the message before is delivered.
  const isHeld =
    store.get(
      `SELECT 1 FROM alert_message WHERE channel = ? AND project = ? AND state = 'waiting' LIMIT 1`,
      id,
      project
    ) !== undefined
  if (isHeld || isQuiet(channel, wall)) return now + HELD_INTERVAL
  const { last } = store.get<{ last: number | null }>(
    'SELECT max(created) AS last FROM alert_message WHERE channel = ? AND project = ?',
    id,
    project
  )!
  // A clock that was set back must not delay the message.
  const windowEnd = last === null || last > now ? opened : last + groupWindow
  if (totalOf(counts) <= FLOOD) return Math.max(opened + GATHER, windowEnd)
  return Math.max(opened + FLOOD_WINDOW, windowEnd > opened ? windowEnd : opened + groupWindow)
}
