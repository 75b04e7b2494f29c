import { InboxChannelInvalid, InboxChannelNotFound, InboxRuleInvalid } from '../errors.ts'
import { findLinked, getChannel as readChannel } from '../alerts/channels.ts'
import { checkChannel, type ChannelColumns } from '../alerts/channel-input.ts'
import { claimDue, recordAttempt, removeOldMessages, retryMessage } from '../alerts/deliveries.ts'
import { addMessage, closeDrafts, gatherFacts } from '../alerts/drafts.ts'
import { createTestMessage } from '../alerts/message.ts'
import { ALERT_KINDS, CHANNEL_KINDS, type ChannelKind } from '../alerts/types.ts'
import { createSecret } from '../alerts/webhook.ts'
import { OWN_PROJECT } from '../store/model.ts'
import { readProjects } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import type { ChannelInput, Changes } from './types.ts'

type Input<Name extends keyof Changes> = Parameters<Changes[Name]>[0]

/** A guess: many teams have fewer. */
const MAX_CHANNELS = 200

export function createChannel(store: Store, { kind, ...input }: Input<'createChannel'>): number {
  if (!CHANNEL_KINDS.includes(kind)) throw new InboxChannelInvalid('choose a kind')
  const { count } = store.get<{ count: number }>('SELECT count(*) AS count FROM alert_channel')!
  if (count >= MAX_CHANNELS) throw new InboxChannelInvalid(`there are at most ${MAX_CHANNELS}; remove one first`)
  const columns = { kind, ...toColumns(kind, input), secret: createSecret(), created: Date.now() }
  const names = Object.keys(columns)
  return store.run(
    `INSERT INTO alert_channel (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ...Object.values(columns)
  ).id
}

export function changeChannel(store: Store, { id, ...input }: Input<'changeChannel'>): void {
  const columns = toColumns(readChannel(store, id).kind, input)
  store.run(
    `UPDATE alert_channel SET ${Object.keys(columns)
      .map((name) => `${name} = ?`)
      .join(', ')} WHERE id = ?`,
    ...Object.values(columns),
    id
  )
}

export function renewChannelSecret(store: Store, { id }: Input<'renewChannelSecret'>): void {
  const { changes } = store.run('UPDATE alert_channel SET secret = ? WHERE id = ?', createSecret(), id)
  if (changes === 0) throw new InboxChannelNotFound()
}

export function removeChannel(store: Store, { id }: Input<'removeChannel'>): void {
  readChannel(store, id)
  store.run('DELETE FROM alert_channel WHERE id = ?', id)
  store.run('DELETE FROM alert_rule WHERE channel = ?', id)
  store.run('DELETE FROM alert_draft WHERE channel = ?', id)
  store.run(`DELETE FROM alert_message WHERE channel = ? AND state = 'waiting'`, id)
}

export function unsubscribe(store: Store, { now, ...link }: Input<'unsubscribe'>): void {
  const channel = findLinked(store, link)
  if (!channel) return
  store.run('UPDATE alert_channel SET paused = ? WHERE id = ?', now, channel.id)
  store.run(`DELETE FROM alert_message WHERE channel = ? AND state = 'waiting'`, channel.id)
}

export function resumeChannel(store: Store, { id }: Input<'resumeChannel'>): void {
  store.run('UPDATE alert_channel SET paused = NULL WHERE id = ?', id)
}

export function testChannel(store: Store, { id, now, baseUrl }: Input<'testChannel'>): void {
  const { id: channel } = readChannel(store, id)
  const [own] = readProjects(store)
  const { project } = store.get<{ project: number }>(
    'SELECT coalesce((SELECT min(project) FROM alert_rule WHERE channel = ?), ?) AS project',
    channel,
    OWN_PROJECT
  )!
  const tested = readProjects(store).find((row) => row.id === project) ?? own!
  addMessage(store, channel, createTestMessage(tested, now, baseUrl), now)
}

export function createRule(store: Store, { project, kind, channel }: Input<'createRule'>): void {
  if (!ALERT_KINDS.includes(kind)) throw new InboxRuleInvalid('choose when it alerts')
  if (!readProjects(store).some(({ id }) => id === project)) throw new InboxRuleInvalid('choose a project')
  if (!store.get('SELECT 1 FROM alert_channel WHERE id = ?', channel)) throw new InboxRuleInvalid('choose a channel')
  store.run(
    `INSERT INTO alert_rule (project, channel, kind, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    project,
    channel,
    kind,
    Date.now()
  )
}

export function removeRule(store: Store, { id }: Input<'removeRule'>): void {
  store.run('DELETE FROM alert_rule WHERE id = ?', id)
}

export function prepareAlerts(
  store: Store,
  { now, baseUrl }: Input<'prepareAlerts'>
): ReturnType<Changes['prepareAlerts']> {
  gatherFacts(store, now)
  closeDrafts(store, now, baseUrl)
  removeOldMessages(store, now)
  return claimDue(store, now)
}

export const recordAlert = recordAttempt
export const retryAlert = retryMessage

/** @throws InboxChannelInvalid with the first error */
function toColumns(kind: ChannelKind, input: ChannelInput): ChannelColumns {
  const checked = checkChannel(kind, input)
  if ('columns' in checked) return checked.columns
  throw new InboxChannelInvalid(Object.values(checked.errors)[0]!)
}
