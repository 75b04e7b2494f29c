import { findLinked, findOwnChannel, getChannel as readChannel, readTeamChannels } from '../alerts/channels.ts'
import { toRule, type Stored } from '../alerts/rules.ts'
import type { AlertDelivery, AlertMessage, AlertRule, OwnMail } from '../alerts/types.ts'
import type { Row, Store } from '../store/store.ts'
import { toPlain } from './plain-row.ts'

/** Maximum messages of the delivery log to list. */
const MAX_LISTED = 100

export const listChannels = readTeamChannels

/** @throws InboxChannelNotFound */
export const getChannel = (store: Store, { id }: { id: number }) => readChannel(store, id)

/** Where a person receives mails about followed issues. */
export function findOwnMail(store: Store, { person }: { person: number }): OwnMail | undefined {
  const channel = findOwnChannel(store, person)
  if (!channel) return undefined
  const last = store.get<{ error: string | null }>(
    'SELECT error FROM alert_message WHERE channel = ? ORDER BY created DESC LIMIT 1',
    channel.id
  )
  return {
    address: channel.target,
    isConfirmed: channel.code === undefined,
    isPaused: channel.paused !== undefined,
    ...(last?.error != null && { error: last.error })
  }
}

/** Channel of a link to unsubscribe; undefined if the token is wrong. */
export function findUnsubscribed(
  store: Store,
  link: { id: number; token: string }
): { name: string; isPaused: boolean; isOwn: boolean } | undefined {
  const channel = findLinked(store, link)
  return (
    channel && {
      name: channel.name,
      isPaused: channel.paused !== undefined,
      isOwn: channel.person !== undefined
    }
  )
}

/** Rules of projects that are not removed. */
export const listRules = (store: Store): AlertRule[] =>
  store
    .all<Stored<AlertRule>>(
      `SELECT alert_rule.id, project, project.name AS projectName, alert_rule.kind, environments, level, channel,
         alert_channel.name AS channelName
       FROM alert_rule JOIN project ON project.id = alert_rule.project AND project.removed IS NULL
       JOIN alert_channel ON alert_channel.id = alert_rule.channel ORDER BY project, alert_rule.id`
    )
    .map(toRule)

/** Newest first, at most 100. @param channel @default all */
export function listDeliveries(store: Store, { channel }: { channel?: number }): AlertDelivery[] {
  const rows = store.all<Row & { body: string }>(
    `SELECT alert_message.id, channel, alert_channel.name AS channelName, body, state, alert_message.created, attempts,
       CASE WHEN state = 'waiting' THEN due END AS next, finished, error FROM alert_message
     LEFT JOIN alert_channel ON alert_channel.id = alert_message.channel
     WHERE alert_channel.person IS NULL AND ${channel === undefined ? 'alert_message.created > ?' : 'channel = ?'}
     ORDER BY alert_message.created DESC LIMIT ?`,
    channel ?? 0,
    MAX_LISTED
  )
  return rows.map(({ body, ...row }) => ({
    ...toPlain<AlertDelivery>(row),
    title: (JSON.parse(body) as AlertMessage).title
  }))
}
