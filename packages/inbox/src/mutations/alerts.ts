import { InboxChannelInvalid, InboxRuleInvalid } from '../errors.ts'
import { findLinked, getChannel as readChannel } from '../alerts/channels.ts'
import { checkChannel, type ChannelColumns } from '../alerts/channel-input.ts'
import { claimDue, endWaits, removeOldMessages } from '../alerts/deliveries.ts'
import { addMessage, closeDrafts, gatherFacts } from '../alerts/drafts.ts'
import { createMessage, createTestMessage } from '../alerts/message.ts'
import { toRule } from '../alerts/rules.ts'
import { checkThresholds } from '../alerts/thresholds.ts'
import {
  CHANNEL_KINDS,
  isOfIssue,
  LOWEST_LEVEL,
  RULE_KINDS,
  type ChannelKind,
  type DueMessage,
  type RuleKind
} from '../alerts/types.ts'
import { createSecret } from '../alerts/webhook.ts'
import { ISSUE_LEVELS, MAX_ENVIRONMENT, OWN_PROJECT, type Level } from '../store/model.ts'
import { readProjects } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import { LEVEL_WORDS, RULE_WORDS } from '../web/alert-words.ts'
import { recordAudit } from './audit.ts'
import { insertRow, updateRow } from '../store/rows.ts'
import type { ChannelInput, RuleInput } from './alert-types.ts'
import type { Author } from './author.ts'

export { recordAttempt as recordAlert, retryMessage as retryAlert } from '../alerts/deliveries.ts'

/** A guess: many teams have fewer. */
const MAX_CHANNELS = 200
const MAX_ENVIRONMENTS = 20

/** @returns the channel's id. @throws InboxChannelInvalid */
export function createChannel(
  store: Store,
  { kind, by, ...input }: ChannelInput & Author & { kind: ChannelKind }
): number {
  if (!CHANNEL_KINDS.includes(kind)) throw new InboxChannelInvalid('choose a kind')
  const { count } = store.get<{ count: number }>('SELECT count(*) AS count FROM alert_channel WHERE person IS NULL')!
  if (count >= MAX_CHANNELS) throw new InboxChannelInvalid(`there are at most ${MAX_CHANNELS}; remove one first`)
  const columns = { kind, ...toColumns(kind, input), secret: createSecret(), created: Date.now() }
  recordAudit(store, 'channel-created', { who: by, detail: columns.name })
  return insertRow(store, 'alert_channel', columns)
}

/**
 * Messages that failed are soon sent to an address that is changed.
 * @param now milliseconds since the epoch, by the clock of the alerts
 * @throws InboxChannelInvalid @throws InboxChannelNotFound
 */
export function changeChannel(
  store: Store,
  { id, by, now, ...input }: ChannelInput & Author & { id: number; now: number }
): void {
  const { kind, name, target } = readChannel(store, id)
  const columns = toColumns(kind, input)
  const isMoved = columns.target !== target
  // The reader of another address must not end the mails to this one.
  if (isMoved && kind === 'mail') columns.secret = createSecret()
  recordAudit(store, 'channel-changed', {
    who: by,
    detail: columns.name === name ? name : `${name} → ${columns.name}`
  })
  updateRow(store, 'alert_channel', id, columns)
  if (isMoved) endWaits(store, { id, kind }, now)
}

/** Creates a new secret; messages are no longer signed with the old one. @throws InboxChannelNotFound */
export function renewChannelSecret(store: Store, { id, by }: Author & { id: number }): void {
  const { name } = readChannel(store, id)
  store.write('UPDATE alert_channel SET secret = ? WHERE id = ?', createSecret(), id)
  recordAudit(store, 'channel-secret-rotated', { who: by, detail: name })
}

/** Removes a channel with its rules, thresholds and waiting messages. @throws InboxChannelNotFound */
export function removeChannel(store: Store, { id, by }: Author & { id: number }): void {
  const { name } = readChannel(store, id)
  recordAudit(store, 'channel-removed', { who: by, detail: name })
  store.write('DELETE FROM alert_channel WHERE id = ?', id)
  store.write('DELETE FROM alert_threshold WHERE channel = ?', id)
  store.write('DELETE FROM alert_rule WHERE channel = ?', id)
  store.write('DELETE FROM alert_draft WHERE channel = ?', id)
  store.write(`DELETE FROM alert_message WHERE channel = ? AND state = 'waiting'`, id)
}

/** Ends the mails of a channel, by the token of its link. Ignores a wrong token. */
export function unsubscribe(store: Store, { now, ...link }: { id: number; token: string; now: number }): void {
  const channel = findLinked(store, link)
  if (!channel) return
  if (channel.paused === undefined && channel.person === undefined)
    recordAudit(store, 'channel-unsubscribed', { detail: channel.name })
  store.write('UPDATE alert_channel SET paused = ? WHERE id = ?', now, channel.id)
  store.write(`DELETE FROM alert_message WHERE channel = ? AND state = 'waiting'`, channel.id)
}

/** Sends to a channel again that a reader has unsubscribed from. @throws InboxChannelNotFound */
export function resumeChannel(store: Store, { id, by }: Author & { id: number }): void {
  const { name, paused } = readChannel(store, id)
  if (paused === undefined) return
  recordAudit(store, 'channel-resumed', { who: by, detail: name })
  store.write('UPDATE alert_channel SET paused = NULL WHERE id = ?', id)
}

/**
 * Puts a test message into the delivery log, to be sent at once.
 * @param now milliseconds since the epoch, for delays and limits
 * @param wall the same by the machine's clock, in the message. @default now
 * @throws InboxChannelNotFound
 */
export function testChannel(
  store: Store,
  { id, now, wall = now, baseUrl }: { id: number; now: number; wall?: number; baseUrl?: string }
): void {
  const { id: channel } = readChannel(store, id)
  const [own] = readProjects(store)
  const { project } = store.get<{ project: number }>(
    'SELECT coalesce((SELECT min(project) FROM alert_rule WHERE channel = ?), ?) AS project',
    channel,
    OWN_PROJECT
  )!
  const tested = readProjects(store).find((row) => row.id === project) ?? own!
  addMessage(store, channel, createTestMessage(tested, wall, baseUrl), now)
}

/** A rule for the same change, project and channel gets the new environments and level. @throws InboxRuleInvalid */
export function createRule(store: Store, input: RuleInput & Author): void {
  const { project, kind, channel, environments, level, by } = input
  if (!RULE_KINDS.includes(kind)) throw new InboxRuleInvalid('choose when it alerts')
  if (!readProjects(store).some(({ id }) => id === project)) throw new InboxRuleInvalid('choose a project')
  if (!store.get('SELECT 1 FROM alert_channel WHERE id = ? AND person IS NULL', channel))
    throw new InboxRuleInvalid('choose a channel')
  if (!ISSUE_LEVELS.includes(level)) throw new InboxRuleInvalid('choose a level')
  if (environments.length > MAX_ENVIRONMENTS || environments.some((name) => name.length > MAX_ENVIRONMENT))
    throw new InboxRuleInvalid(
      `enter at most ${MAX_ENVIRONMENTS} environments, each of at most ${MAX_ENVIRONMENT} characters`
    )
  const made = store.get<{ id: number }>(
    `INSERT INTO alert_rule (project, channel, kind, environments, level, created) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (project, kind, channel) DO UPDATE SET environments = excluded.environments, level = excluded.level
     WHERE alert_rule.environments <> excluded.environments OR alert_rule.level <> excluded.level RETURNING id`,
    project,
    channel,
    kind,
    JSON.stringify(environments.toSorted()),
    isOfIssue(kind) ? level : LOWEST_LEVEL,
    Date.now()
  )
  if (made) recordAudit(store, 'rule-created', { who: by, detail: describeRule(store, made.id)! })
}

export function removeRule(store: Store, { id, by }: Author & { id: number }): void {
  const detail = describeRule(store, id)
  if (detail === undefined) return
  store.write('DELETE FROM alert_rule WHERE id = ?', id)
  recordAudit(store, 'rule-removed', { who: by, detail })
}

/** `A new issue appears · Shop · warning and above · production · Team`; undefined if there is no such rule. */
function describeRule(store: Store, id: number): string | undefined {
  const row = store.get<{ kind: RuleKind; project: string; environments: string; level: Level; channel: string }>(
    `SELECT alert_rule.kind, project.name AS project, environments, level, alert_channel.name AS channel FROM alert_rule
     JOIN project ON project.id = project JOIN alert_channel ON alert_channel.id = channel WHERE alert_rule.id = ?`,
    id
  )
  if (!row) return undefined
  const { kind, project, environments, level, channel } = toRule(row)
  const levels = level === LOWEST_LEVEL ? '' : LEVEL_WORDS[level]
  return [RULE_WORDS[kind], project, levels, environments.join(', '), channel].filter((part) => part !== '').join(' · ')
}

/**
 * Gathers recorded changes into messages, and claims those that are due: no other process sends them for a minute.
 * @param now milliseconds since the epoch, for delays and limits
 * @param wall the same by the machine's clock, for figures and in messages
 * @param checksThresholds whether to compare thresholds with their figures
 * @param baseUrl origin of links
 */
export function prepareAlerts(
  store: Store,
  { now, wall, checksThresholds, baseUrl }: { now: number; wall: number; checksThresholds?: boolean; baseUrl?: string }
): DueMessage[] {
  gatherFacts(store, now)
  if (checksThresholds) checkThresholds(store, now, wall)
  closeDrafts(store, { now, wall }, (draft) => createMessage(store, draft, wall, baseUrl))
  removeOldMessages(store, now)
  return claimDue(store, now, wall)
}

/** @throws InboxChannelInvalid with the first error */
function toColumns(kind: ChannelKind, input: ChannelInput): ChannelColumns {
  const checked = checkChannel(kind, input)
  if ('columns' in checked) return checked.columns
  throw new InboxChannelInvalid(Object.values(checked.errors)[0]!)
}
